import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { examine, problemsOf, run, envOf } from './run-doctor.ts'
import { startNode, type TestNode } from './servers.ts'

// What the command line says of keys that hold data of another program.

// Each test starts servers and processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

let nodes: TestNode[]
beforeAll(async () => {
  nodes = await Promise.all([startNode(), startNode(), startNode()])
  return () => Promise.all(nodes.map(({ stop }) => stop()))
})

const onAll = (...words: [string, ...string[]]): Promise<unknown[]> =>
  Promise.all(nodes.map(({ admin }) => admin(...words)))

const value = 'Ada-Lovelace ada@example.com'

describe('the command line', () => {
  it('inspects a key that never expires, and frees it not', async () => {
    await onAll('SET', 'lock:l:user:7', value)
    const env = envOf(nodes)
    const inspected = await run(['inspect', 'user:7'], { env })
    expect(inspected.stdout).toMatch(
      /^The key of user:7 holds data that is not a lock, which never expires\. Delete the key, or use another prefix\./,
    )
    expect(inspected.stdout).not.toContain('release')
    const json = await run(['inspect', 'user:7', '--json'], { env })
    expect(JSON.parse(json.stdout)).toMatchObject({ state: 'foreign', ttl: null })
    const released = await run(['release', 'user:7'], { env })
    expect([released.exitCode, released.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^The key of user:7 holds data that is not a lock.* It was not deleted: delete it/,
      ),
    ])
    expect(await onAll('GET', 'lock:l:user:7')).toEqual([value, value, value])
    for (const { stdout } of [inspected, json, released]) expect(stdout).not.toContain('Ada')
  })

  it('names data of others in the key of the id', async () => {
    await onAll('SET', 'lock:id', value)
    onTestFinished(async () => void (await onAll('DEL', 'lock:id')))
    const { report, text } = await examine(nodes)
    expect(problemsOf(report)).toContainEqual(['foreign-data', ...nodes.map(({ url }) => url)])
    expect(text).toContain('Use another `prefix`')
    expect(JSON.stringify(report)).not.toContain('Ada')
  })

  it('names a list in the key of the id', async () => {
    await onAll('DEL', 'lock:id')
    await nodes[0]!.admin('RPUSH', 'lock:id', 'theirs')
    onTestFinished(async () => void (await onAll('DEL', 'lock:id')))
    expect(problemsOf((await examine(nodes)).report)).toContainEqual([
      'foreign-data',
      nodes[0]!.url,
    ])
  })
})
