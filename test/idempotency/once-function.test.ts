import { inspect as show } from 'node:util'
import { describe, expect, inject, it, vi } from 'vitest'
import {
  forget,
  isNotRecordedError,
  type NotRecordedError,
  once,
  type OnceOptions,
} from '../../src/entries/idempotency.ts'
import {
  isLockedError,
  isQuorumError,
  type Lock,
  type LockNode,
  Redlock,
  type RestNodeOptions,
} from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { eventually } from '../support/eventually.ts'
import { during, hang, reject, withFault } from '../support/faults.ts'
import { freshKey } from '../support/nodes.ts'
import { nodeWithFault } from '../support/node-with-fault.ts'
import { later } from '../support/signals.ts'

// `once` as a black box: values, runs that fail, waiting, and nodes that are down.

const real = JSON.parse(inject('REDLOCK_NODES')) as RestNodeOptions[]
const open = (nodes: readonly (LockNode | RestNodeOptions)[] = memoryNodes(3)): Redlock =>
  new Redlock({ nodes, warnings: false })

/** A run that lasts until `end`, and how often it was called. */
const slowRun = (value: unknown = 'value') => {
  const { promise, resolve } = later()
  const run = vi.fn<(lock: Lock) => Promise<unknown>>(async () => {
    await promise
    return value
  })
  return { run, end: resolve }
}

const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => expect.fail(`it resolved to ${String(value)}`),
    (error: unknown) => error,
  )

describe('values', () => {
  it.each<[string, unknown, unknown]>([
    ['undefined', undefined, undefined],
    ['null', null, null],
    ['an empty text', '', ''],
    ['0', 0, 0],
    ['a Date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['text beyond ASCII', '€ \u0000 😀', '€ \u0000 😀'],
  ])('%s is for all what JSON makes of it', async (_, value, expected) => {
    const redlock = open()
    const run = vi.fn(() => value)
    for (let turn = 0; turn < 2; turn++) {
      expect(await once(redlock, 'k', { keepFor: 60_000 }, run)).toEqual(expected)
    }
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('are shared by clients of their own over real servers, also by ten at once', async () => {
    const key = freshKey()
    const run = vi.fn(() => crypto.randomUUID())
    const call = (): Promise<string> => once(open(real), key, { keepFor: 60_000 }, run)
    const values = await Promise.all(Array.from({ length: 10 }, call))
    expect(new Set([...values, await call()]).size).toBe(1)
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('run again once they have expired', async () => {
    const redlock = open()
    let runs = 0
    const call = (): Promise<number> => once(redlock, 'k', { keepFor: 1_000 }, () => ++runs)
    expect(await call()).toBe(1)
    await eventually(async () => expect(await call()).toBe(2))
  })

  it('are kept beside a lock of the same key', async () => {
    const redlock = open()
    const lock = await redlock.acquire('k')
    expect(await once(redlock, 'k', { keepFor: 1_000, wait: 0 }, () => 7)).toBe(7)
    await lock.release()
  })

  it('are encrypted by a codec', async () => {
    const name = { name: 'AES-GCM', length: 256 }
    const secret = await crypto.subtle.generateKey(name, false, ['encrypt', 'decrypt'])
    const codec: OnceOptions<{ token: string }>['codec'] = {
      encode: async (value) => {
        const iv = crypto.getRandomValues(new Uint8Array(12))
        const text = new TextEncoder().encode(JSON.stringify(value))
        const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, secret, text)
        return new Uint8Array([...iv, ...new Uint8Array(sealed)])
      },
      decode: async (bytes) => {
        const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, 12) }
        const text = await crypto.subtle.decrypt(algorithm, secret, bytes.subarray(12))
        return JSON.parse(new TextDecoder().decode(text)) as { token: string }
      },
    }
    const nodes = memoryNodes(3)
    const redlock = open(nodes)
    const value = { token: 'the secret token' }
    const run = vi.fn(() => value)
    const options = { keepFor: 60_000, codec }
    expect(await once(redlock, 'k', options, run)).toEqual(value)
    expect(await once(redlock, 'k', options, run)).toEqual(value)
    expect(run).toHaveBeenCalledTimes(1)
    const stored = nodes.flatMap(({ entries }) => [...entries.values()].map((one) => one.value))
    const clear = ['secret token', btoa(JSON.stringify(value)).slice(0, 12)]
    for (const text of clear) expect(stored.join()).not.toContain(text)
    // Without the key of the codec, the call that reads it gets the error.
    const other = await crypto.subtle.generateKey(name, false, ['encrypt', 'decrypt'])
    const wrong = {
      ...codec,
      decode: async (bytes: Uint8Array<ArrayBuffer>) => {
        const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, 12) }
        await crypto.subtle.decrypt(algorithm, other, bytes.subarray(12))
        return value
      },
    }
    await expect(once(redlock, 'k', { keepFor: 60_000, codec: wrong }, run)).rejects.toThrow(
      'operation',
    )
    expect(run).toHaveBeenCalledTimes(1)
  })
})

describe('a run', () => {
  it('has the lock of its key, with a signal and a fencing token', async () => {
    const redlock = open(real)
    const key = freshKey()
    const tokens: number[] = []
    const run = async (lock: Lock): Promise<void> => {
      expect([lock.held, lock.signal.aborted, lock.keys]).toEqual([true, false, [`once:${key}`]])
      tokens.push(await lock.fencingToken())
    }
    await once(redlock, key, { keepFor: 60_000 }, run)
    await forget(redlock, key)
    await once(redlock, key, { keepFor: 60_000 }, run)
    expect(tokens[1]).toBeGreaterThan(tokens[0]!)
  })

  it('does not free the key by releasing its lock', async () => {
    const redlock = open()
    const { run, end } = slowRun()
    const first = once(redlock, 'k', { keepFor: 60_000 }, async (lock) => {
      expect(await lock.release()).toBe('released')
      return run(lock)
    })
    await eventually(() => expect(run).toHaveBeenCalled())
    const second = vi.fn()
    const rejected = await rejection(once(redlock, 'k', { keepFor: 60_000, wait: 0 }, second))
    expect(isLockedError(rejected)).toBe(true)
    end()
    expect(await first).toBe('value')
    expect(await once(redlock, 'k', { keepFor: 60_000, wait: 0 }, second)).toBe('value')
    expect(second).not.toHaveBeenCalled()
  })

  it('that throws frees the key at once, and rejects its own call only', async () => {
    const nodes = memoryNodes(3)
    const redlock = open(nodes)
    const oh = new Error('oh')
    const started = later()
    const failing = once(redlock, 'k', { keepFor: 60_000 }, async () => {
      await started.promise
      throw oh
    })
    const waiting = once(redlock, 'k', { keepFor: 60_000 }, () => 'second')
    started.resolve()
    expect(await rejection(failing)).toBe(oh)
    expect(await waiting).toBe('second')
    const thrown = once(redlock, 'other', { keepFor: 60_000 }, () => Promise.reject(oh))
    expect(await rejection(thrown)).toBe(oh)
    // No wait: nothing is claimed any more.
    expect(await once(redlock, 'other', { keepFor: 60_000, wait: 0 }, () => 1)).toBe(1)
  })

  it('is kept alive beyond its ttl, up to maxExtensions', async () => {
    const events: string[] = []
    const onEvent = ({ type }: { type: string }): void => void events.push(type)
    const redlock = new Redlock({ nodes: memoryNodes(3), onEvent })
    const { run, end } = slowRun()
    const first = once(redlock, 'k', { keepFor: 1_000, ttl: 900 }, run)
    await eventually(() => {
      expect(events.filter((type) => type === 'extended').length).toBeGreaterThan(3)
    })
    const [lock] = run.mock.calls[0]!
    expect(lock.held).toBe(true)
    end()
    await first
    const lost = later()
    const options = { keepFor: 1_000, ttl: 100, maxExtensions: 0 }
    const value = await once(redlock, 'other', options, async (own) => {
      own.signal.addEventListener('abort', lost.resolve)
      await lost.promise
      return 'late'
    })
    // Nobody else has run, so it counts.
    expect(value).toBe('late')
  })

  it('that has lost its key gives way to the run that took it', async () => {
    const redlock = open()
    const { run, end } = slowRun('slow')
    const options = { keepFor: 60_000, ttl: 100, maxHold: 100 }
    const slow = once(redlock, 'k', options, run)
    await eventually(() => expect(run).toHaveBeenCalled())
    expect(await once(redlock, 'k', { keepFor: 60_000 }, () => 'quick')).toBe('quick')
    end()
    expect(await slow).toBe('quick')
  })

  it('is not begun where the claim has expired meanwhile, and leaves nothing behind', async () => {
    const now = Date.now()
    const nodes = memoryNodes(3, { now: () => now })
    const onEvent = ({ type }: { type: string }): void => {
      // The process stands still.
      if (type === 'acquired') vi.setSystemTime(now + 60_000)
    }
    vi.useFakeTimers({ toFake: ['Date'], now })
    try {
      const redlock = new Redlock({ nodes, onEvent })
      const run = vi.fn()
      await expect(once(redlock, 'k', { keepFor: 1_000 }, run)).rejects.toThrow(/^Lost the lock/)
      expect(run).not.toHaveBeenCalled()
      const claims = nodes.flatMap(({ entries }) => Array.from(entries.keys()))
      expect(claims.filter((key) => key.startsWith('lock:r:'))).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('waiting', () => {
  it('a lone call with a wait of 0 runs', async () => {
    for (const keepFor of [0, 1_000]) {
      expect(await once(open(), 'k', { keepFor, wait: 0 }, () => 7)).toBe(7)
    }
  })

  it.each([0, 60_000])('the wait ends with a LockedError, keepFor %d', async (keepFor) => {
    const redlock = open()
    const { run, end } = slowRun()
    const first = once(redlock, 'k', { keepFor }, run)
    await eventually(() => expect(run).toHaveBeenCalled())
    for (const wait of [0, 200]) {
      const rejected = await rejection(once(redlock, 'k', { keepFor, wait }, run))
      expect(isLockedError(rejected)).toBe(true)
      expect(rejected).toMatchObject({ keys: ['k'] })
    }
    end()
    await first
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('with keepFor 0 calls that waited share the value, and later ones run', async () => {
    const redlock = open(real)
    const key = freshKey()
    const { run, end } = slowRun('shared')
    const first = once(redlock, key, { keepFor: 0 }, run)
    await eventually(() => expect(run).toHaveBeenCalled())
    const second = vi.fn(() => 'second')
    const waiting = once(open(real), key, { keepFor: 0 }, second)
    end()
    expect(await first).toBe('shared')
    expect(await waiting).toBe('shared')
    expect(second).not.toHaveBeenCalled()
    await eventually(async () => {
      expect(await once(redlock, key, { keepFor: 0 }, second)).toBe('second')
    })
  })

  it('a crowd in one process shares one run', async () => {
    const redlock = open()
    const { run, end } = slowRun('shared')
    const calls = Array.from({ length: 100 }, () => once(redlock, 'k', { keepFor: 0 }, run))
    await eventually(() => expect(run).toHaveBeenCalled())
    end()
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['shared']))
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('is ended by a signal, before and while it waits, and nothing stays claimed', async () => {
    let controller = new AbortController()
    const reason = new Error('no longer wanted')
    const onEvent = ({ type }: { type: string }): void => {
      if (type === 'waiting') controller.abort(reason)
    }
    const redlock = new Redlock({ nodes: memoryNodes(3), onEvent })
    const run = vi.fn(() => 'ran')
    const before = once(redlock, 'k', { keepFor: 1_000, signal: AbortSignal.abort(reason) }, run)
    expect(await rejection(before)).toBe(reason)
    expect(run).not.toHaveBeenCalled()
    const { run: slow, end } = slowRun()
    const first = once(redlock, 'k', { keepFor: 60_000 }, slow)
    await eventually(() => expect(slow).toHaveBeenCalled())
    for (const keepFor of [0, 1_000]) {
      controller = new AbortController()
      const waiting = once(redlock, 'k', { keepFor, signal: controller.signal }, run)
      expect(await rejection(waiting)).toBe(reason)
    }
    end()
    expect(await first).toBe('value')
    expect(await once(redlock, 'k', { keepFor: 60_000, wait: 0 }, run)).toBe('value')
  })

  it('a signal does not stop a run', async () => {
    const controller = new AbortController()
    const { run, end } = slowRun()
    const options = { keepFor: 1_000, signal: controller.signal }
    const first = once(open(), 'k', options, run)
    await eventually(() => expect(run).toHaveBeenCalled())
    controller.abort(new Error('too late'))
    end()
    expect(await first).toBe('value')
  })

  it('waitUntil gets the run, and what follows it', async () => {
    const work: Promise<unknown>[] = []
    const { run, end } = slowRun()
    const waitUntil = (one: Promise<unknown>): void => void work.push(one)
    const first = once(open(), 'k', { keepFor: 1_000, waitUntil }, run)
    await eventually(() => expect(run).toHaveBeenCalled())
    let isOver = false
    void Promise.all(work.slice()).then(() => (isOver = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isOver).toBe(false)
    end()
    expect(await first).toBe('value')
    await Promise.all(work)
    await eventually(() => expect(isOver).toBe(true))
  })
})

describe('nodes', () => {
  it.each([0, 60_000])('too few of them: a QuorumError, and nothing runs (%d)', async (keepFor) => {
    const nodes = memoryNodes(3)
    nodes[0]!.fail()
    nodes[1]!.fail()
    const run = vi.fn()
    for (const wait of [0, 200]) {
      const rejected = await rejection(once(open(nodes), 'k', { keepFor, wait }, run))
      expect(isQuorumError(rejected)).toBe(true)
    }
    expect(run).not.toHaveBeenCalled()
  })

  it.each([
    ['is down', reject],
    ['hangs', hang],
  ])('one run and one value while one of them %s', async (_, fault) => {
    for (const sick of [0, 1, 2]) {
      for (const keepFor of [0, 60_000]) {
        const nodes = real
          .slice(0, 3)
          .map((node, index) => (index === sick ? withFault(node, fault) : node))
        const key = freshKey()
        let running = 0
        const run = vi.fn(async () => {
          expect(++running).toBe(1)
          await Promise.resolve()
          running--
          return crypto.randomUUID()
        })
        const begun = performance.now()
        const calls = Array.from({ length: 5 }, () => once(open(nodes), key, { keepFor }, run))
        const values = new Set(await Promise.all(calls))
        expect(values.size).toBe(run.mock.calls.length)
        // With 0, a call that comes half a second after the run, as on a busy machine, runs again.
        if (keepFor > 0 || performance.now() - begun < 500) expect(run).toHaveBeenCalledTimes(1)
      }
    }
  })

  it('that take no record: a NotRecordedError with the value, and the key is free', async () => {
    const memory = memoryNodes(3)
    let isBroken = true
    const nodes = memory.map((node) =>
      nodeWithFault(node, (request, send) =>
        isBroken ? during('c', reject)(request, send) : send(),
      ),
    )
    const redlock = open(nodes)
    const options = { keepFor: 60_000, ttl: 500 }
    const error = await rejection(once(redlock, 'k', options, () => 'the secret value'))
    expect(isNotRecordedError(error)).toBe(true)
    const rejected = error as NotRecordedError
    expect([rejected.reason, rejected.hasRun, rejected.value, rejected.keys]).toEqual([
      'unavailable',
      true,
      'the secret value',
      ['k'],
    ])
    expect(JSON.stringify(rejected)).not.toContain('secret')
    expect(show(rejected, { depth: 9, showHidden: true })).not.toContain('secret')
    isBroken = false
    expect(await once(redlock, 'k', { keepFor: 60_000, wait: 0 }, () => 'next')).toBe('next')
  })
})
