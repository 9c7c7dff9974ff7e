import { Redis } from 'ioredis'
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest'
import { once } from '../../src/entries/idempotency.ts'
import { Redlock, throttle, withSlots } from '../../src/index.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { freshKey } from '../support/nodes.ts'
import { envOf, run } from './run-doctor.ts'
import { realNodes } from '../support/real-nodes.ts'

// The commands besides `doctor`, as processes. Each takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const nodes = realNodes.slice(0, 3)
const ports = inject('REDIS_PORTS').slice(0, 3)
const redlock = new Redlock({ nodes })
const env = envOf(nodes)

const json = async (args: readonly string[]): Promise<Record<string, unknown>> => {
  const { stdout, stderr } = await run([...args, '--json'], { env })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Record<string, unknown>
}

describe('inspect and release', () => {
  it('say who holds a lock and free it, but only that of the given id', async () => {
    const key = freshKey()
    const lock = await redlock.acquire(key, { ttl: 120_000, metadata: 'POST /reports/7' })
    const { stdout, exitCode } = await run(['inspect', key], { env })
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`${key} is held by ${lock.id} (POST /reports/7), for another 1`)
    expect(stdout).toContain(`edge-redlock release ${key} --id ${lock.id}`)
    expect(stdout).not.toContain(lock.value)
    expect(await json(['inspect', key])).toMatchObject({ key, state: 'locked', holder: lock.id })

    const other = await run(['release', key, '--id', 'another1'], { env })
    expect([other.exitCode, other.stdout]).toEqual([1, expect.stringContaining('another holder')])
    expect(await json(['release', key, '--id', lock.id])).toMatchObject({ key, state: 'released' })
    await expect(lock.extend()).rejects.toThrow('released by force')
    expect(await json(['release', key])).toMatchObject({ state: 'free' })
    expect((await run(['inspect', key], { env })).stdout).toContain(`${key} is free.`)
  })

  it('free a lock on several keys, and say whom it was taken from', async () => {
    const keys = [freshKey(), freshKey()]
    const lock = await redlock.acquire(keys, { ttl: 120_000, metadata: 'the job' })
    const { stdout } = await run(['release', ...keys], { env })
    for (const key of keys) {
      expect(stdout).toContain(`${key} is released. ${lock.id} (the job) had it.`)
    }
    for (const key of keys) expect(await json(['inspect', key])).toMatchObject({ state: 'free' })
  })

  it('name what they can not know: the other keys of a lock', async () => {
    const keys = [freshKey(), freshKey()] as const
    await redlock.acquire([...keys], { ttl: 120_000 })
    const { stdout } = await run(['release', keys[0]], { env })
    expect(stdout).toContain('If the same lock has other keys, release them too')
    expect(await json(['inspect', keys[1]])).toMatchObject({ state: 'locked' })
  })

  it('take the passwords of redis:// urls from variables', async () => {
    const passwords = ['p@ss/w:ord 1', 'other%2F']
    const urls = await Promise.all(
      passwords.map(async (password) => {
        const server = await startRedis()
        onTestFinished(server.stop)
        const admin = new Redis({ host: '127.0.0.1', port: server.port })
        await admin.config('SET', 'requirepass', password)
        admin.disconnect()
        return `redis://127.0.0.1:${server.port}`
      }),
    )
    const own = { REDLOCK_PASSWORD: 'p@ss/w:ord 1', REDLOCK_PASSWORD_2: 'other%2F' }
    const found = await run(['inspect', 'a key', ...urls], { env: own })
    expect(found.stdout).toContain('a key is free.')
    expect(found.stdout).not.toContain('WRONGPASS')
    const without = await run(['inspect', 'a key', ...urls])
    expect(without.stdout).toContain('NOAUTH')
    const wrong = await run(['inspect', 'a key', ...urls], {
      env: { REDLOCK_PASSWORD: 'wrong-one' },
    })
    expect(wrong.stdout).toContain('WRONGPASS')
    expect(wrong.stdout + wrong.stderr).not.toContain('wrong-one')
  })

  it('take redis:// urls in place of the variables', async () => {
    const key = freshKey()
    const lock = await redlock.acquire(key, { ttl: 120_000 })
    const urls = ports.map((port) => `redis://127.0.0.1:${port}`)
    const held = await run(['inspect', key, ...urls])
    expect(held.stdout).toContain(`${key} is held by ${lock.id}`)
    expect(held.stdout).toContain(`release ${key} --id ${lock.id} redis://...`)
    expect((await run(['release', key, '--id', lock.id, ...urls])).exitCode).toBe(0)
    await expect(lock.extend()).rejects.toThrow('released by force')
    const watched = await run(['watch', '--interval', '0', ...urls])
    expect([watched.exitCode, watched.stdout]).toEqual([0, expect.stringContaining(' up ')])
  })

  it('count and open the window of a throttle with a limit', async () => {
    const key = freshKey()
    const options = { window: 120_000, limit: 2 }
    const elsewhere = () =>
      withSlots(new Redlock({ nodes: nodes.map((node) => Object.assign({}, node, { fetch })) }))
    const call = async (): Promise<boolean> => (await throttle(elsewhere(), key, options)).ok
    expect([await call(), await call(), await call()]).toEqual([true, true, false])
    const slots = ['--kind', 'throttle', '--limit', '2']
    expect(await json(['inspect', key, ...slots])).toMatchObject({ remaining: 0 })
    const plain = await run(['inspect', key, '--kind', 'throttle'], { env })
    expect(plain.stdout).toContain('add --limit')
    const { stdout, exitCode } = await run(['release', key, ...slots], { env })
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`${key}#2 is open.`)])
    expect(await json(['inspect', key, ...slots])).toMatchObject({ remaining: 2 })
  })

  it('know the windows of throttles, and the claims of once', async () => {
    const key = freshKey()
    const window = { window: 120_000 }
    expect((await throttle(new Redlock({ nodes }), key, window)).ok).toBe(true)
    const ofThrottle = ['--kind', 'throttle']
    expect(await json(['inspect', key, ...ofThrottle])).toMatchObject({ state: 'locked' })
    expect(await json(['inspect', key])).toMatchObject({ state: 'free' })
    expect(await json(['release', key, ...ofThrottle])).toMatchObject({ state: 'released' })
    const elsewhere = new Redlock({
      nodes: nodes.map((node) => Object.assign({}, node, { fetch })),
    })
    expect((await throttle(elsewhere, key, window)).ok).toBe(true)

    await once(redlock, key, { keepFor: 120_000 }, () => 'a secret value')
    const { stdout } = await run(['inspect', `once:${key}`, '--kind', 'claim'], { env })
    expect(stdout).toContain(`The result for once:${key} is recorded for another 1`)
    expect(stdout).not.toContain('secret')
    expect(stdout).not.toContain(btoa('"a secret value"'))
  })

  it('exit with 2 and say what is wrong', async () => {
    const cases: [args: string[], message: string][] = [
      [['inspect'], 'Expected one key: edge-redlock inspect KEY'],
      [['inspect', 'a', 'b'], 'Expected one key'],
      [['inspect', 'a', '--kind', 'window'], '`kind`'],
      [['release', 'a', '--id', 'x'], '`id`'],
      [['release'], 'Expected a key'],
      [['release', 'a', 'b', '--limit', '2'], 'one key with --limit'],
      [['release', 'a', '--limit', '0'], '--limit'],
      [['release', 'a', '--limit', '1e1'], '--limit'],
      [['release', 'a', ''], 'Expected a key'],
      [['inspect', 'a', 'redis://127.0.0.1:1/abc'], 'Argument 1 must be'],
      [['inspect', 'a', 'redis://127.0.0.1:1', '--from', '.env'], 'not both'],
      [['REDIS://:hunter2@127.0.0.1:1'], 'There is no command "REDIS://..."'],
      [['release', 'a', '--max-ttl', '1'], '--max-ttl'],
      [['watch', 'a'], 'takes no key'],
      [['watch', '--interval', '99999999999'], '--interval'],
      [['doctor', 'http://a'], 'Argument 1 must be a URL such as redis://'],
    ]
    for (const [args, message] of cases) {
      const { exitCode, stderr } = await run(args, { env })
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
      expect(stderr).not.toContain('    at ')
    }
  })

  it('exit with 1 when too few nodes answer', async () => {
    const [first] = nodes
    const down = [1, 2].map((port) => ({ url: `http://127.0.0.1:${port}`, token: 'none' }))
    const partial = { env: envOf([first!, ...down]) }
    const looked = await run(['inspect', 'a'], partial)
    expect([looked.exitCode, looked.stdout]).toEqual([1, expect.stringContaining('Too few nodes')])
    const released = await run(['release', 'a'], partial)
    expect([released.exitCode, released.stdout]).toEqual([1, expect.stringContaining('too few')])
  })
})

it('watch shows each node, and exits with 1 when one is down', async () => {
  const down = { url: 'http://127.0.0.1:1', token: 'none' }
  const well = await run(['watch', '--interval', '0'], { env })
  expect(well.exitCode).toBe(0)
  for (const { url } of nodes) expect(well.stdout).toMatch(new RegExp(`${url} +up +\\d+ ms`))
  const sick = await run(['watch', '--interval', '0', '--json'], { env: envOf([...nodes, down]) })
  expect(sick.exitCode).toBe(1)
  const seen = JSON.parse(sick.stdout) as { nodes: { node: string; downFor?: number }[] }
  expect(seen.nodes.filter(({ downFor }) => downFor !== undefined)).toMatchObject([
    { node: down.url, downFor: expect.any(Number) },
  ])
})

it('doctor takes redis:// urls', async () => {
  const urls = ports.map((port) => `redis://:not%20a%20secret@127.0.0.1:${port}`)
  const { exitCode, stdout } = await run(['doctor', ...urls])
  expect(stdout).toContain('Nodes from the command line')
  expect(stdout).toContain(`redis://127.0.0.1:${ports[0]}/0`)
  expect(stdout).not.toContain('not a secret')
  expect(exitCode).toBeLessThan(2)
})
