import { resolve } from 'node:path'
import { anyPort } from '../../tools/servers/free-port.ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { quarantine } from '../../src/index.ts'
import { examine, problemsOf } from './run-doctor.ts'
import { serveRedis, startNode, startServer, type TestNode, withClock } from './servers.ts'

// `edge-redlock doctor` before real servers, in each situation that it is for.

// Each test starts servers and processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

let well: [TestNode, TestNode, TestNode]
beforeAll(async () => {
  well = await Promise.all([startNode(), startNode(), startNode()])
})
afterAll(async () => {
  await Promise.all(well.map(({ stop }) => stop()))
})

/** A node that the test may break. */
const ownNode = async (settings: Readonly<Record<string, string>> = {}): Promise<TestNode> => {
  const node = await startNode(settings)
  onTestFinished(node.stop)
  return node
}

const ended = <Started extends { readonly stop: () => Promise<void> }>(
  started: Started,
): Started => {
  onTestFinished(started.stop)
  return started
}

describe('edge-redlock doctor', () => {
  it('has no complaint where all is well', async () => {
    const { text, exitCode, report } = await examine(well)
    expect(exitCode).toBe(0)
    expect(report).toMatchObject({ isWell: true, source: 'the environment' })
    // Only what nobody can see over REST.
    expect(report.findings.map(({ code, level }) => [code, level])).toEqual([['fsync', 'hint']])
    expect(text).toMatch(/^Nodes from the environment\n/)
    for (const { url } of well) {
      expect(text).toMatch(
        new RegExp(
          `${url} +yes +\\d+ ms +[+-]\\d+ ms +yes +yes +master +noeviction +append-only file +\\w{8} +\\d`,
        ),
      )
    }
    expect(text).toMatch(/Throw-away lock: acquired, fencing token \d+, released\./)
    expect(text).toMatch(
      /Distinct nodes that work: 3 of 3; the lock survives 1 failure\.\nAll is well with 3 nodes, 1 hint\.$/,
    )
    const runs = new Set(report.nodes.map(({ server }) => server?.info.run_id))
    expect(runs.size).toBe(3)
  })

  it('names the node whose token is wrong', async () => {
    const [a, b, c] = well
    const { exitCode, report, text } = await examine([a, { ...b, token: 'not-the-token' }, c])
    expect(exitCode).toBe(1)
    expect(problemsOf(report)).toEqual([['unauthorized', b.url]])
    expect(text).toContain('Copy the whole token of this database again')
    expect(report.lock.released).toBe('released')
  })

  it('lists the nodes in the order of the variable, and the urgent problem first', async () => {
    const [a, b] = [...well].sort((one, other) => (one.url < other.url ? 1 : -1))
    const forgetful = await ownNode()
    await forgetful.admin('CONFIG', 'SET', 'appendonly', 'no')
    const given = [a!, forgetful, { ...b!, token: 'not-the-token' }]
    const { report, text } = await examine(given)
    expect(report.nodes.map(({ node }) => node)).toEqual(given.map(({ url }) => url))
    expect(problemsOf(report)).toEqual([
      ['unauthorized', b!.url],
      ['not-persistent', forgetful.url],
    ])
    expect(text).toMatch(/Distinct nodes that work: 2 of 3; the lock survives 0 failures\./)
  })

  it('names the node that is down', async () => {
    const node = await startNode()
    await node.stop()
    const { report, text } = await examine([well[0], well[1], node])
    expect(problemsOf(report)).toEqual([['unreachable', node.url]])
    expect(text).toContain('ECONNREFUSED')
  })

  it('says that no lock can be had where a majority is down', async () => {
    const [a, b] = [await startNode(), await startNode()]
    await Promise.all([a.stop(), b.stop()])
    const { exitCode, report, text } = await examine([well[0], a, b])
    expect(exitCode).toBe(1)
    expect(text).toMatch(/Throw-away lock: failed\. .+ECONNREFUSED/)
    expect(text).toMatch(/Distinct nodes that work: 1 of 3; no lock can be acquired\./)
    expect(problemsOf(report)).toEqual([['unreachable', a.url, b.url], ['no-lock']])
  })

  it('names the node that hangs', async () => {
    const node = await ownNode()
    process.kill(node.redis.pid, 'SIGSTOP')
    onTestFinished(() => void process.kill(node.redis.pid, 'SIGCONT'))
    const args = ['--node-timeout', '500']
    const { report } = await examine([well[0], well[1], node], args)
    expect(problemsOf(report)).toEqual([['timeout', node.url]])
  })

  it('names two urls of one database', async () => {
    const [a, b] = well
    const alias = ended(await serveRedis(a.redis))
    const { exitCode, report, text } = await examine([a, b, alias])
    expect(exitCode).toBe(1)
    expect(text).toMatch(/Distinct nodes that work: 2 of 3; the lock survives 0 failures\./)
    expect(problemsOf(report)).toContainEqual(['same-database', a.url, alias.url])
  })

  it('names two databases of one server', async () => {
    const [a, b] = well
    const other = ended(await serveRedis(a.redis, { db: 1 }))
    const { report, text } = await examine([a, b, other])
    // Their server takes both with it.
    expect(text).toMatch(/Distinct nodes that work: 3 of 3; the lock survives 0 failures\./)
    expect(problemsOf(report)).toEqual([['same-server', a.url, other.url]])
  })

  it('names the server that evicts keys, unless its memory has no limit', async () => {
    const node = await ownNode()
    await node.admin('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    expect(problemsOf((await examine([well[0], well[1], node])).report)).toEqual([])
    await node.admin('CONFIG', 'SET', 'maxmemory', '100mb')
    const { exitCode, report, text } = await examine([well[0], well[1], node])
    expect(exitCode).toBe(1)
    expect(problemsOf(report)).toEqual([['eviction', node.url]])
    expect(text).toContain('Set `maxmemory-policy noeviction`')
  })

  it('names the server that is full', async () => {
    const node = await ownNode()
    await node.admin('CONFIG', 'SET', 'maxmemory', '1')
    const { report } = await examine([well[0], well[1], node])
    expect(problemsOf(report).map(([code]) => code)).toContain('read-only')
  })

  it('names the server that is a replica', async () => {
    const [primary, node] = [await ownNode(), await ownNode()]
    // By default a primary waits 5 s for more replicas.
    await primary.admin('CONFIG', 'SET', 'repl-diskless-sync-delay', '0')
    await node.admin('REPLICAOF', '127.0.0.1', `${primary.redis.port}`)
    await primary.admin('SET', 'lock:id', 'of-the-primary')
    await vi.waitFor(
      async () => expect(await node.admin('GET', 'lock:id')).toBe('of-the-primary'),
      10_000,
    )
    const { report } = await examine([well[0], well[1], node])
    expect(problemsOf(report)).toEqual([['replica', node.url]])
    // With its primary as a node, the two are also one database.
    const both = await examine([well[0], primary, node])
    const names = [primary.url, node.url]
    expect(problemsOf(both.report)).toContainEqual(['same-database', ...names])
  })

  it('names the server that rejects TIME or INFO', async () => {
    const [noTime, noInfo] = [await ownNode(), await ownNode()]
    await noTime.admin('ACL', 'SETUSER', 'default', '-time')
    await noInfo.admin('ACL', 'SETUSER', 'default', '-info')
    const { report, text } = await examine([well[0], noTime, noInfo])
    expect(problemsOf(report)).toEqual([['time-rejected', noTime.url]])
    expect(text).toContain('ACL SETUSER <user> +time')
    expect(report.findings).toContainEqual(
      expect.objectContaining({ code: 'info-rejected', level: 'hint', nodes: [noInfo.url] }),
    )
  })

  it('tells a wrong path and a gateway without its Redis from other failures', async () => {
    const [a, b, c] = well
    const path = `${c.url}/redis`
    const wrong = await examine([a, b, { ...c, url: path }])
    expect(problemsOf(wrong.report)).toEqual([['not-redis', path]])
    expect(wrong.text).toContain('Remove the path from the URL')
    const { redis } = await ownNode()
    const impatient = ended(await serveRedis(redis, { maxRetriesPerRequest: 0 }))
    await redis.stop()
    const down = await examine([a, b, impatient])
    expect(problemsOf(down.report)).toEqual([['unreachable', impatient.url]])
    expect(down.text).toContain('The gateway responds, but the Redis server behind it does not')
  })

  it('names the user who may not run scripts', async () => {
    const node = await ownNode()
    await node.admin('ACL', 'SETUSER', 'default', '-eval', '-evalsha')
    const { report } = await examine([well[0], well[1], node])
    expect(problemsOf(report)).toEqual([['no-permission', node.url]])
    await node.admin('ACL', 'SETUSER', 'default', 'reset', 'on', 'nopass', '~other:*', '+@all')
    const { text } = await examine([well[0], well[1], node])
    expect(text).toContain('The Redis user is not allowed to access lock keys: NOPERM')
  })

  it('names the server that rejects a command of the scripts', async () => {
    const [a, b] = well
    const node = await ownNode()
    for (const command of ['set', 'mget', 'pttl', 'del']) {
      await node.admin('ACL', 'SETUSER', 'default', 'reset', 'on', 'nopass', '~*', '+@all')
      await node.admin('ACL', 'SETUSER', 'default', `-${command}`)
      const { report, text } = await examine([a, b, node])
      expect(problemsOf(report)).toEqual([['no-permission', node.url]])
      expect(text).toContain('+mget +set +del +pttl')
      expect(text).not.toContain('@user_script')
      expect(text).toContain('Distinct nodes that work: 2 of 3')
    }
    await node.admin('CONFIG', 'SET', 'appendonly', 'no')
    await node.admin('ACL', 'SETUSER', 'default', '-time')
    expect(problemsOf((await examine([a, b, node])).report)).toEqual([
      ['no-permission', node.url],
      ['time-rejected', node.url],
      ['not-persistent', node.url],
    ])
  })

  it('names the clock that is 10 s ahead, and the clock of this machine', async () => {
    const [a, b, c] = well
    const ahead = ended(await withClock(c, 10))
    const one = await examine([a, b, ahead])
    expect(problemsOf(one.report)).toEqual([['clock', ahead.url]])
    expect(one.text).toMatch(
      /The server's clock is (?:9|10)\.\d s ahead of the clocks of the other servers/,
    )
    const others = [
      ended(await withClock(a, -10)),
      ended(await withClock(b, -10)),
      ended(await withClock(c, -10)),
    ]
    const all = await examine(others)
    expect(problemsOf(all.report)).toEqual([['own-clock']])
    expect(all.text).toMatch(
      /The clock of this machine is (?:9|10)\.\d s ahead of the clocks of the servers/,
    )
  })

  it('hints at what only the Upstash console shows', async () => {
    const [a, b, c] = well
    const upstash = a.url.replace('127.0.0.1', 'eu1-caring-owl-1.upstash.io')
    const preload = resolve(import.meta.dirname, 'resolve-upstash.ts')
    const { exitCode, report } = await examine([{ ...a, url: upstash }, b, c], [], {
      NODE_OPTIONS: `--import ${preload}`,
    })
    expect(exitCode).toBe(0)
    expect(report.findings).toContainEqual(
      expect.objectContaining({ code: 'upstash', level: 'hint', nodes: [upstash] }),
    )
  })

  it('names a cluster whose keys are not in one slot, and accepts one with a hash tag', async () => {
    const busPort = await anyPort()
    const node = await ownNode({ 'cluster-enabled': 'yes', 'cluster-port': `${busPort}` })
    const nodes = [well[0], well[1], node]
    const unready = await examine(nodes)
    expect(problemsOf(unready.report)).toEqual([['cluster', node.url]])
    await node.admin('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
    await vi.waitFor(
      async () => expect(await node.admin('CLUSTER', 'INFO')).toContain('cluster_state:ok'),
      20_000,
    )
    const split = await examine(nodes)
    expect(problemsOf(split.report)).toEqual([['cluster', node.url]])
    expect(split.text).toContain("`prefix: '{lock}:'`")
    const whole = await examine(nodes, ['--prefix', '{lock}:'])
    expect(problemsOf(whole.report)).toEqual([])
  })

  it('names a url that is no Redis, and shows nothing that it sends back', async () => {
    const [a, b] = well
    const website = ended(await startServer(async () => ({ status: 200, body: '<html>' })))
    const echo = ended(
      await startServer(async (_, authorization) => ({
        status: 400,
        body: JSON.stringify({ error: `ERR \u001B[2J${authorization}` }),
      })),
    )
    const { report, text } = await examine([a, b, website])
    expect(problemsOf(report)).toEqual([['not-redis', website.url]])
    expect(text).toContain('it must be the REST URL')
    const echoed = await examine([a, b, echo])
    expect(problemsOf(echoed.report)).toEqual([['unreachable', echo.url]])
    expect(echoed.text).not.toContain('\u001B')
  })

  it('needs the maxTtl of volatile nodes, and says how long a new one abstains', async () => {
    const [node, forgetful] = [await ownNode(), await ownNode()]
    await forgetful.admin('CONFIG', 'SET', 'appendonly', 'no')
    const unmarked = await examine([well[0], well[1], forgetful])
    expect(problemsOf(unmarked.report)).toEqual([['not-persistent', forgetful.url]])
    const nodes = [well[0], well[1], { ...node, volatile: quarantine() }]
    const { report } = await examine(nodes, ['--max-ttl', '60000'])
    expect(problemsOf(report)).toEqual([])
    const quarantined = report.findings.find(({ code }) => code === 'quarantined')
    expect(quarantined).toMatchObject({ nodes: [node.url] })
    expect(quarantined!.message).toMatch(/another (?:5\d|60|61) s/)
  })
})
