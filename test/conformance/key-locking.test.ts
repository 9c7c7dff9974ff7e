import { Redis } from '@upstash/redis'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  inspect,
  isQuorumError,
  type LockNode,
  type Quarantine,
  quarantine,
  Redlock,
  restNode,
  type RestNodeOptions,
  upstashNode,
  withKeyLocking,
} from '../../src/index.ts'
import { lockScript } from '../../src/redis/scripts/lock-script.ts'
import type { Script } from '../../src/protocol/script.ts'
import { volatileScript } from '../../src/redis/quarantine/volatile-script.ts'
import { firstLine } from '../support/key-locking.ts'
import { freshKey, overRest } from '../support/nodes.ts'
import { realNodes as servers } from '../support/real-nodes.ts'

// `withKeyLocking` adds a first line to the script, which only Upstash understands.

/**
 * A server that understands the line, as Upstash does: it runs the rest of the script, and knows it by
 * the hash of the whole. `seen` receives each command.
 */
const upstashLike = (
  node: RestNodeOptions,
  seen: (words: string[]) => void,
  own: { readonly script: Script; readonly volatile?: Quarantine } = { script: lockScript },
): { readonly node: LockNode; readonly fetch: typeof fetch } => {
  const sources = new Map<string, string>()
  const ownFetch: typeof fetch = async (url, init) => {
    const words = JSON.parse(init!.body as string) as string[]
    seen(words)
    const [command, script] = words as [string, string]
    if (command === 'EVAL') {
      const hash = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(script))
      sources.set(Buffer.from(hash).toString('hex'), script)
    }
    const source = command === 'EVAL' ? script : sources.get(script)
    if (source === undefined) return Response.json({ error: 'NOSCRIPT' }, { status: 400 })
    expect(source).toBe(firstLine + own.script.source)
    const body = JSON.stringify(['EVAL', own.script.source, ...words.slice(2)])
    return fetch(url, { ...init!, body })
  }
  const { volatile = false } = own
  return { node: withKeyLocking({ ...node, volatile, fetch: ownFetch }), fetch: ownFetch }
}

afterEach(() => void vi.restoreAllMocks())

describe('key locking', () => {
  it('runs the script with its first line by a hash of its own, and seldom touches a shared key', async () => {
    const { now: realNow } = Date
    let later = 0
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() + later)
    const commands: string[][] = []
    const redlock = new Redlock({
      nodes: servers
        .slice(0, 3)
        .map((node) => upstashLike(node, (words) => void commands.push(words)).node),
    })
    /** Whether each request of one lock asked for the identity. */
    const asked = async (): Promise<boolean[]> => {
      commands.length = 0
      const lock = await redlock.acquire(freshKey(), { ttl: 30_000 })
      expect(await lock.fencingToken()).toBeGreaterThan(0)
      expect(await lock.release()).toBe('released')
      return commands.map((words) => words.includes('lock:id'))
    }
    await asked()
    // The answer of the slowest node may have come late.
    await inspect(redlock, freshKey())
    expect(await asked()).toEqual(Array(6).fill(false))
    expect(commands.map(([command]) => command)).toEqual(Array(6).fill('EVALSHA'))
    later += 60_000
    expect((await asked()).slice(0, 3)).toEqual([true, true, true])
  })

  it.each([
    ['that lock keys', { volatile: quarantine() }, {}],
    ['of nodes that lock keys', {}, { volatile: quarantine() }],
  ])('keeps the quarantine of volatile nodes %s', async (_, inner, outer) => {
    const own = { script: volatileScript(lockScript)!, ...inner }
    const nodeOf = (node: RestNodeOptions): LockNode => {
      const { node: locking } = upstashLike(node, () => {}, own)
      return { ...locking, ...outer }
    }
    const nodes = servers.slice(0, 3).map(nodeOf)
    const prefix = `${freshKey()}:`
    const redlock = new Redlock({ nodes, prefix })
    for (let turn = 0; turn < 3; turn++) {
      const { nodes: reports } = await inspect(redlock, 'key')
      expect(reports.map(({ status }) => status)).toEqual(Array(3).fill('quarantined'))
      const result = await redlock.tryAcquire('key')
      expect(result).toMatchObject({ ok: false })
    }
    const stored = await overRest(servers.slice(0, 1))[0]!.command('KEYS', `${prefix}*`)
    expect((stored as string[]).filter((name) => !name.startsWith(`${prefix}x:`)).sort()).toEqual([
      `${prefix}id`,
      `${prefix}run`,
    ])
  })

  it('still recognises two nodes of one server', async () => {
    const [first, , third] = servers
    const alias = { ...first!, url: 'http://alias.example' }
    const routed = upstashLike(first!, () => {})
    const nodes = [
      routed.node,
      withKeyLocking({ ...alias, fetch: (_, init) => routed.fetch(first!.url, init) }),
      { ...third!, url: 'http://127.0.0.1:1' },
    ]
    const redlock = new Redlock({ nodes, onEvent: () => {} })
    for (let turn = 0; turn < 3; turn++) {
      expect(await redlock.tryAcquire(freshKey())).toMatchObject({ reason: 'unavailable' })
    }
  })

  const kinds: [string, (node: RestNodeOptions) => LockNode][] = [
    ['restNode', (node) => withKeyLocking(restNode(node))],
    ['upstashNode', ({ url, token }) => withKeyLocking(upstashNode(new Redis({ url, token })))],
  ]
  it.each(kinds)('is rejected by Redis, and the error of %s names the flag', async (_, connect) => {
    const nodes = servers.slice(0, 3).map(connect)
    const error = await new Redlock({ nodes, retry: { attempts: 1 } })
      .acquire(freshKey())
      .catch((reason: unknown) => reason)
    expect(isQuorumError(error)).toBe(true)
    expect(String(error)).toContain('allow-key-locking')
  })
})
