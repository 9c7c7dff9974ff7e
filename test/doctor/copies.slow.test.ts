import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isQuorumError, Redlock } from '../../src/index.ts'
import { examine, problemsOf } from './run-doctor.ts'
import { startNode, type TestNode } from './servers.ts'

// Servers that started from one dump, backup or image have one id, and with that one vote.

// Each test starts servers and processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const ownNode = async (settings: Readonly<Record<string, string>> = {}): Promise<TestNode> => {
  const node = await startNode(settings)
  onTestFinished(node.stop)
  return node
}

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'edge-redlock-copies-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

const over = (nodes: readonly TestNode[]): Redlock =>
  new Redlock({
    nodes: nodes.map(({ url, token }) => ({ url, token })),
    retry: { attempts: 1 },
    warnings: false,
  })

/** A server that has been in use, and what it saves. */
const savedServer = async (): Promise<{ server: TestNode; dump: string }> => {
  const server = await ownNode()
  const single = over([server])
  const lock = await single.acquire('report')
  await lock.fencingToken()
  await lock.release()
  await server.admin('SAVE')
  return { server, dump: join(server.redis.directory, 'dump.rdb') }
}

/** A server that starts from this dump. */
const startCopy = async (dump: string): Promise<TestNode> => {
  const dir = await folder()
  await cp(dump, join(dir, 'dump.rdb'))
  return ownNode({ dir, appendonly: 'no' })
}

const urlsOf = (nodes: readonly TestNode[]): string[] => nodes.map(({ url }) => url)

describe('servers that started from one dump', () => {
  it('are told from one server, counted as one vote, and work once their ids are deleted', async () => {
    const { dump } = await savedServer()
    const copies = [await startCopy(dump), await startCopy(dump), await startCopy(dump)]
    const redlock = over(copies)

    // Before: the error of a client can't ask, and says both.
    const error: unknown = await redlock.acquire('report').catch((reason: unknown) => reason)
    expect(isQuorumError(error) && error.message).toMatch(
      /is the same server as \S+, or a copy of its data: it does not count\. Start a copy empty, or delete lock:id there/,
    )
    const before = await examine(copies)
    expect(problemsOf(before.report)).toContainEqual(['copied-data', ...urlsOf(copies)])
    expect(before.text).toMatch(
      /separate servers with copies of one database \(run_id \w{8} on port \d+, up for \d+ s; run_id/,
    )
    expect(before.text).toContain(`run \`DEL lock:id\` on all of them except ${copies[0]!.url}`)
    expect(before.text).not.toContain('These nodes are one database')
    expect(before.text).toMatch(/Distinct nodes that work: 1 of 3; no lock can be acquired\./)

    // After: as the doctor says.
    const last = await tokenIn(dump)
    for (const copy of copies.slice(1)) expect(await copy.admin('DEL', 'lock:id')).toBe(1)
    const lock = await over(copies).acquire('report')
    expect(await lock.fencingToken()).toBeGreaterThan(last)
    expect(await over(copies).tryAcquire('report')).toMatchObject({ reason: 'locked' })
    expect(await lock.release()).toBe('released')
    const after = await examine(copies)
    expect(problemsOf(after.report).filter(([code]) => code !== 'not-persistent')).toEqual([])
    expect(after.text).toMatch(/Distinct nodes that work: 3 of 3; the lock survives 1 failure\./)
  })

  it('keep what clients hold while an id is deleted', async () => {
    const { server, dump } = await savedServer()
    const copy = await startCopy(dump)
    const other = await ownNode()
    const nodes = [server, copy, other]
    const held = await over(nodes).acquire('held')
    const token = await held.fencingToken()
    const problems = problemsOf((await examine(nodes)).report)
    expect(problems).toContainEqual(['copied-data', server.url, copy.url])
    await copy.admin('DEL', 'lock:id')
    expect(await over(nodes).tryAcquire('held')).toMatchObject({ reason: 'locked' })
    await held.extend()
    expect(await held.fencingToken()).toBe(token)
    expect(await held.release()).toBe('released')
    const next = await over(nodes).acquire('held')
    expect(await next.fencingToken()).toBeGreaterThan(token)
    await next.release()
  })

  it('are told by the doctor only where it knows: without INFO it names both', async () => {
    const { dump } = await savedServer()
    const copies = [await startCopy(dump), await startCopy(dump), await ownNode()]
    for (const copy of copies) await copy.admin('ACL', 'SETUSER', 'default', '-info')
    const { report, text } = await examine(copies)
    expect(problemsOf(report)).toContainEqual(['same-database', ...urlsOf(copies.slice(0, 2))])
    expect(text).toContain('one database, or copies of one')
    expect(text).toContain('`DEL lock:id`')
    expect(text).toMatch(/Distinct nodes that work: 2 of 3; the lock survives 0 failures\./)
  })
})

/** The highest token of the lock `report` in the dump. */
const tokenIn = async (dump: string): Promise<number> => {
  const copy = await startCopy(dump)
  return Number(String(await copy.admin('GET', 'lock:f:report')).split(' ', 1)[0])
}
