import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import * as current from '../../src/index.ts'
import { buildLastRelease } from '../../tools/release/last-release.ts'
import { command, freshKey, holders, overRest } from '../support/nodes.ts'

// Instances of the last release and of this version run side by side during every deployment.
// src/protocol/README.md says what may change between them.

const nodes = JSON.parse(inject('REDLOCK_NODES')) as current.RestNodeOptions[]
const servers = overRest(nodes)

/** The interface of both versions. The build of the last release has types of its own. */
type Version = Pick<typeof current, 'Redlock'> & Partial<Pick<typeof current, 'quarantine'>>
// Of a busy machine, in ms.
const slow = { timeout: 10_000 }

type Options = Omit<current.RedlockOptions, 'nodes'>

let last: Version
beforeAll(async () => {
  const url = pathToFileURL(`${await buildLastRelease()}/dist/index.js`).href
  last = (await import(/* @vite-ignore */ url)) as Version
  if (last.Redlock === current.Redlock) throw new Error('This is the current version')
}, 60_000)

/** What the last release has under other names, as methods. */
type OldLock = { readonly fence: () => Promise<number> }
type OldRedlock = {
  readonly inspect: (key: string) => Promise<current.Inspection>
  readonly adopt: (lock: string | current.SerializedLock) => current.Lock
  readonly throttle: (
    key: string,
    options: current.ThrottleOptions,
  ) => Promise<current.ThrottleResult>
}
const tokenOf = (lock: current.Lock): Promise<number> =>
  'fence' in lock ? (lock as unknown as OldLock).fence() : lock.fencingToken()
const inspectBy = (redlock: current.Redlock, key: string): Promise<current.Inspection> =>
  'inspect' in redlock
    ? (redlock as unknown as OldRedlock).inspect(key)
    : current.inspect(redlock, key)
const jsonOf = (lock: current.Lock): string =>
  JSON.stringify('toJSON' in lock ? lock : current.serialize(lock))
const adoptBy = (redlock: current.Redlock, lock: string | current.SerializedLock): current.Lock =>
  'adopt' in redlock ? (redlock as unknown as OldRedlock).adopt(lock) : current.adopt(redlock, lock)
const throttleBy = (
  redlock: current.Redlock,
  key: string,
  options: current.ThrottleOptions,
): Promise<current.ThrottleResult> =>
  'throttle' in redlock
    ? (redlock as unknown as OldRedlock).throttle(key, options)
    : current.throttle(redlock, key, options)

const clientOf = (version: Version, options: Options = {}): current.Redlock =>
  new version.Redlock({ ttl: 10_000, ...options, nodes })
/** Two clients of volatile nodes. */
const volatileClients = (versions: readonly Version[], prefix: string): current.Redlock[] =>
  versions.map((version) => {
    // A version without the function takes true.
    const volatile = version.quarantine?.() ?? (true as never)
    const own = nodes.map(({ url, token }) => ({ url, token, volatile }))
    return new version.Redlock({ nodes: own, prefix })
  })
/** Each version as the first of two. */
const inBothOrders: { name: string; first: () => Version; second: () => Version }[] = [
  { name: 'the last release, and this version', first: () => last, second: () => current },
  { name: 'this version, and the last release', first: () => current, second: () => last },
]

describe.each(inBothOrders)('$name', ({ first: firstOf, second: secondOf }) => {
  const clientOfFirst = (): current.Redlock => clientOf(firstOf())
  const clientOfSecond = (): current.Redlock => clientOf(secondOf())

  it('hold a lock one after the other, from acquire to extend to release', async () => {
    const key = freshKey()
    const [first, second] = [clientOfFirst(), clientOfSecond()]
    const held = await first.acquire(key, { ttl: 5_000, metadata: 'web 3' })
    const rejection = await second.tryAcquire(key)
    expect(rejection).toMatchObject({ ok: false, reason: 'locked' })
    expect(rejection.ok || rejection.retryAfter).toBeLessThanOrEqual(5_000)
    await held.extend(30_000)
    const later = await second.tryAcquire(key)
    expect(later.ok || later.retryAfter).toBeGreaterThan(20_000)
    expect(await inspectBy(second, key)).toMatchObject({ state: 'locked', metadata: 'web 3' })
    expect(await held.release()).toBe('released')
    const next = await second.acquire(key, { wait: 2_000 })
    expect(await first.tryAcquire(key)).toMatchObject({ ok: false, reason: 'locked' })
    expect(await next.release()).toBe('released')
  })

  it('hold several keys, all or none', async () => {
    const [a, b] = [freshKey(), freshKey()]
    const held = await clientOfFirst().acquire([a, b])
    const second = clientOfSecond()
    expect(await second.tryAcquire([b])).toMatchObject({ ok: false })
    await held.release()
    const next = await second.acquire([b], { wait: 2_000 })
    expect(await clientOfFirst().tryAcquire([a, b])).toMatchObject({ ok: false })
    await next.release()
    await expect.poll(() => holders(servers, `lock:l:${a}`), slow).toEqual(servers.map(() => null))
  })

  it('throttle together', async () => {
    const key = freshKey()
    const window = 2_000
    expect(await throttleBy(clientOfFirst(), key, { window })).toMatchObject({ ok: true })
    const closed = await throttleBy(clientOfSecond(), key, { window })
    expect(closed).toMatchObject({ ok: false, reason: 'locked' })
    await expect
      .poll(async () => (await throttleBy(clientOfSecond(), key, { window })).ok, slow)
      .toBe(true)
    expect(await throttleBy(clientOfFirst(), key, { window })).toMatchObject({ ok: false })
  })

  it('have rising tokens, whether locks are released, expire, or carry metadata', async () => {
    const key = freshKey()
    const tokens: number[] = []
    const [first, second] = [clientOfFirst(), clientOfSecond()]
    for (let turn = 0; turn < 6; turn++) {
      const client = turn % 2 ? second : first
      const metadata = turn % 3 ? 'web 3' : ''
      // Every third lock is left to expire.
      const ttl = turn % 3 === 2 ? 1_000 : 10_000
      const lock = await client.acquire(key, { ttl, metadata, wait: 5_000 })
      tokens.push(await tokenOf(lock))
      if (ttl > 5_000) await lock.release()
    }
    expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => a - b))
    expect(tokens).toHaveLength(6)
  })

  it.each(['', 'web 3'])(
    'adopt, extend and release what the other acquired: %j',
    async (metadata) => {
      const key = freshKey()
      const held = await clientOfFirst().acquire(key, { metadata, ttl: 10_000 })
      const token = await tokenOf(held)
      const adopted = adoptBy(clientOfSecond(), jsonOf(held))
      expect(adopted).toMatchObject({ keys: [key], metadata, held: true })
      await adopted.extend(30_000)
      expect(adopted.expiresIn).toBeGreaterThan(20_000)
      expect(await tokenOf(adopted)).toBe(token)
      expect(await clientOfFirst().tryAcquire(key)).toMatchObject({ ok: false })
      // The lock is given back once more.
      const back = adoptBy(clientOfFirst(), jsonOf(adopted))
      await back.extend()
      expect(await tokenOf(back)).toBe(token)
      expect(await back.release()).toBe('released')
      await expect
        .poll(() => holders(servers, `lock:l:${key}`), slow)
        .toEqual(servers.map(() => null))
      const next = await clientOfSecond().acquire(key)
      expect(await tokenOf(next)).toBeGreaterThan(token)
      await next.release()
    },
  )

  it.each(['', 'web 3'])('do not extend what the other has released: %j', async (metadata) => {
    const key = freshKey()
    const held = await clientOfFirst().acquire(key, { metadata })
    await adoptBy(clientOfSecond(), jsonOf(held)).release()
    // A tombstone says so on each node, though no other holder has left a trace.
    await expect(held.extend()).rejects.toThrow('Lost the lock')
    await expect
      .poll(() => holders(servers, `lock:l:${key}`), slow)
      .toEqual(servers.map(() => null))
  })

  it.each(['', 'web 3'])('restore what a node has lost: %j', async (metadata) => {
    const key = freshKey()
    const held = await clientOfFirst().acquire(key, { metadata, ttl: 10_000 })
    await expect.poll(() => holders(servers, `lock:l:${key}`), slow).not.toContain(null)
    const token = await tokenOf(held)
    const adopted = adoptBy(clientOfSecond(), jsonOf(held))
    await command(nodes[0]!, 'DEL', `lock:l:${key}`)
    await adopted.extend(20_000)
    // The counter of the node has risen, and the adopted lock may follow it.
    expect(await tokenOf(adopted)).toBeGreaterThanOrEqual(token)
    expect(await adopted.release()).toBe('released')
  })

  it.each(['', 'web 3'])('do not restore what another holder has had: %j', async (metadata) => {
    const key = freshKey()
    const held = await clientOfFirst().acquire(key, { metadata, ttl: 10_000 })
    await expect.poll(() => holders(servers, `lock:l:${key}`), slow).not.toContain(null)
    const adopted = adoptBy(clientOfSecond(), jsonOf(held))
    // A majority loses the lock, and another holder acquires and releases it there.
    const lost = nodes.slice(0, 3)
    for (const node of lost) await command(node, 'DEL', `lock:l:${key}`)
    const between = await new (firstOf().Redlock)({ nodes: lost }).acquire(key)
    await expect.poll(() => holders(overRest(lost), `lock:l:${key}`), slow).not.toContain(null)
    expect(await tokenOf(between)).toBeGreaterThan(await tokenOf(held))
    await between.release()
    await expect(adopted.extend()).rejects.toThrow('Lost the lock')
    await adopted.release()
  })

  it('know the servers by the same identities, and stay in quarantine together', async () => {
    const prefix = `volatile-${freshKey()}:`
    const [first, second] = volatileClients([firstOf(), secondOf()], prefix)
    expect(await first!.tryAcquire('key')).toMatchObject({ ok: false, reason: 'unavailable' })
    const stored = async (): Promise<unknown[]> => [
      ...(await holders(servers, `${prefix}run`)),
      ...(await holders(servers, `${prefix}id`)),
    ]
    const records = await stored()
    expect(records).not.toContain(null)
    expect(await second!.tryAcquire('key')).toMatchObject({ ok: false, reason: 'unavailable' })
    // A version that did not understand the records would have begun the quarantine anew.
    expect(await stored()).toEqual(records)
  })

  it('vote together after the quarantine, whether the record of the server has its history or not', async () => {
    const prefix = `volatile-${freshKey()}:`
    const [first, second] = volatileClients([firstOf(), secondOf()], prefix)
    const stored = (): Promise<unknown[]> => holders(servers, `${prefix}run`)
    expect(await first!.tryAcquire('key')).toMatchObject({ ok: false, reason: 'unavailable' })
    await expect.poll(stored, slow).not.toContain(null)
    // The quarantine is backdated, so that it is over.
    for (const [index, record] of (await stored()).entries()) {
      await command(nodes[index]!, 'SET', `${prefix}run`, String(record).replace(/ \d+/, ' 1'))
    }
    for (const client of [first!, second!, first!]) {
      const lock = await client.acquire('key', { wait: 2_000 })
      expect(await lock.release()).toBe('released')
    }
    // The last release has neither removed the history nor begun the quarantine anew.
    const complete = expect.stringMatching(/^run_id:\w+ 1 master_replid:\w+$/)
    await expect.poll(stored, slow).toEqual(servers.map(() => complete))
  })
})

describe('a race of the last release and this version', () => {
  it('never has two holders, and its tokens rise', async () => {
    const key = freshKey()
    const wins = [0, 0]
    const tokens: number[] = []
    let [inside, overlaps] = [0, 0]
    const end = Date.now() + 15_000
    const run = async (version: number): Promise<void> => {
      const client = clientOf([last, current][version]!)
      while (Date.now() < end && Math.min(...wins) < 8) {
        const result = await client.tryAcquire(key, { metadata: `version ${version}` })
        if (result.ok) {
          if (inside++ > 0) overlaps++
          wins[version]!++
          tokens.push(await tokenOf(result.lock))
          await result.lock.extend()
          if (inside-- > 1) overlaps++
          await result.lock.release()
        }
        await sleep(Math.random() * 20)
      }
    }
    await Promise.all([run(0), run(1), run(0), run(1)])
    expect(overlaps).toBe(0)
    expect(Math.min(...wins)).toBeGreaterThan(0)
    expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => a - b))
  }, 30_000)
})
