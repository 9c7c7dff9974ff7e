import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { inject, expect, it } from 'vitest'
import type { RestNodeOptions } from '../../src/index.ts'
import { startWorker } from '../../tools/servers/worker.ts'
import { run as runDoctor } from '../doctor/run-doctor.ts'
import { command, holders, overRest } from '../support/nodes.ts'
import { descendants, inOwnTmp, isRunning, printed, runScript } from './processes.ts'
import { eventually } from '../support/eventually.ts'
import { realNodes as servers } from '../support/real-nodes.ts'

const root = resolve(import.meta.dirname, '../..')

it('npm run nodes prints nodes that work and that the doctor accepts, and ends them all', async () => {
  await inOwnTmp(async (env) => {
    const child = runScript('servers/nodes', ['--count', '2'], env)
    const output = await printed(child, 'Ctrl-C')
    const [, listed = ''] = /REDLOCK_NODES='(.*)'/.exec(output)!
    const nodes = JSON.parse(listed) as RestNodeOptions[]
    expect(await Promise.all(nodes.map((node) => command(node, 'PING')))).toEqual(['PONG', 'PONG'])
    const doctor = await runDoctor(['doctor'], { env: { REDLOCK_NODES: listed } })
    expect(doctor.stdout).toContain('All is well')
    expect(doctor.exitCode).toBe(0)
    const pids = await descendants(child.pid!)
    expect(pids.length).toBeGreaterThanOrEqual(2)
    child.kill('SIGINT')
    expect((await child).exitCode).toBe(0)
    expect(await Promise.all(pids.map(isRunning))).toEqual(pids.map(() => false))
  })
})

it('npm run nodes rejects a count that is no number', async () => {
  const { exitCode, all } = await runScript('servers/nodes', ['--count', 'many'])
  expect(exitCode).toBe(1)
  expect(all).toContain('whole number from 1')
})

it('wrangler dev gets the nodes and neither reads nor changes the .dev.vars of a user', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-test-'))
  const config = join(directory, 'wrangler.toml')
  const toml = await readFile(join(root, 'wrangler.toml'), 'utf8')
  await writeFile(config, toml.replaceAll('"examples/', `"${root}/examples/`))
  const secrets = "REDLOCK_NODES='[]'\n"
  await writeFile(join(directory, '.dev.vars'), secrets)
  const worker = await startWorker({
    variables: { REDLOCK_NODES: inject('REDLOCK_NODES') },
    config,
    port: 0,
  })
  try {
    const grade = (): Promise<Response> =>
      fetch(`${worker.url}/assignments/${crypto.randomUUID()}/grade`, { method: 'POST' })
    // On a busy machine, the first requests open their connections too late.
    await eventually(async () => expect((await grade()).status).toBe(200))
    expect(await (await fetch(worker.url)).text()).toContain('Double-click Hand in')
    expect(await readFile(join(directory, '.dev.vars'), 'utf8')).toBe(secrets)

    // The example extends its lock beyond the first ttl (1 s) while the work takes 2.5 s.
    const id = crypto.randomUUID()
    const again = (): Promise<Response> =>
      fetch(`${worker.url}/assignments/${id}/grade`, { method: 'POST' })
    const running = again()
    let status: number | undefined
    void running.then((response) => (status = response.status))
    await eventually(async () => {
      const held = await holders(overRest(servers), `lock:l:grade:${id}`)
      // A lock is on a majority, and need not be on all nodes.
      const isHeld = held.filter(Boolean).length > servers.length / 2
      expect({ status, isHeld }).toEqual({ status: undefined, isHeld: true })
    })
    const start = Date.now()
    const statuses = new Set<number>()
    while (Date.now() - start < 2000) statuses.add((await again()).status)
    expect(statuses).toEqual(new Set([409]))
    expect((await running).status).toBe(200)
    const anonymous = await fetch(`${worker.url}/assignments/essay/submit`, { method: 'POST' })
    expect(anonymous.status).toBe(400)
  } finally {
    await worker.stop()
    await rm(directory, { recursive: true, force: true })
  }
}, 60_000)

it.each([
  ['ensure-redis', 'apt-get install redis-server'],
  ['ensure-chromium', 'apt-get install chromium'],
])('%s names the package to install where it must not install it', async (script, advice) => {
  const { exitCode, all } = await runScript(`release/${script}`, [], {
    PATH: '/nonexistent',
    CI: '1',
    EDGE_REDLOCK_INSTALL: 'never',
  })
  expect(exitCode).toBe(1)
  expect(all).toContain(advice)
})
