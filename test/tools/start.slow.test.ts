import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { execa } from 'execa'
import { afterEach, expect, it, vi } from 'vitest'
import { descendants, inOwnTmp, isRunning, ownPort, printed, runScript } from './processes.ts'
import { eventually } from '../support/eventually.ts'

const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

/** Keeps every processor of the machine busy until the test ends. */
const loadMachine = (): void => {
  for (let count = 0; count < availableParallelism(); count++) {
    const loop = spawn(process.execPath, ['-e', 'for (;;);'])
    cleanUps.push(() => void loop.kill('SIGKILL'))
  }
}

/** The output for a newcomer, whatever runs the nodes. */
const expectOneOfTen = (output: string): void => {
  const [, oneUser = '', tenUsers = ''] = output.split(/One user sends|Ten users send/)
  const answersOf = (part: string): string[] =>
    Array.from(part.matchAll(/│ (\d{3} [\w ]*\w) +│/g), ([, answer]) => answer!)
  const throttled = Array.from({ length: 9 }, () => '429 too many requests')
  expect(answersOf(oneUser).sort()).toEqual(['202 accepted', ...throttled])
  expect(answersOf(tenUsers)).toEqual(Array.from({ length: 10 }, () => '202 accepted'))
  expect(output).toContain('One user:  1 of 10 submits accepted, 9 rejected.\n')
  expect(output).toContain('Ten users: 10 of 10 submits accepted.')
}

it('npm start lets exactly one of ten through, and ends everything', async () => {
  await inOwnTmp(async (env) => {
    const child = runScript('start/main', ['--json', '--bursts', '3', ...(await ownPort())], env)
    let pids: number[] = []
    await vi.waitFor(
      async () => {
        pids = await descendants(child.pid!)
        // Five servers, and workerd.
        expect(pids.length).toBeGreaterThanOrEqual(6)
      },
      { timeout: 30_000 },
    )
    const { stdout, exitCode } = await child
    expect(JSON.parse(stdout)).toMatchObject({ isMet: true, single: [1, 1, 1], several: 10 })
    expect(exitCode).toBe(0)
    await eventually(async () =>
      expect(await Promise.all(pids.map(isRunning))).toEqual(pids.map(() => false)),
    )
  })
}, 60_000)

it('npm start shows the same with Durable Objects as nodes, and without a server installed', async () => {
  const env = { PATH: '/nonexistent' }
  const args = ['--durable-objects', '--once', '--bursts', '3', ...(await ownPort())]
  const { stdout, stderr, exitCode } = await runScript('start/main', args, env)
  expect(stderr).toBe('')
  expect(stdout).toContain('The nodes are three Durable Objects')
  expect(stdout).toContain('exactly 1 of 10 submits accepted, and the others rejected, in 3 of 3')
  expect(stdout).toContain('Ten users: 10 of 10 submits accepted.')
  expect(exitCode).toBe(0)
}, 60_000)

it('npm start keeps running until Ctrl-C, and says what its times are', async () => {
  await inOwnTmp(async (env) => {
    const child = runScript('start/main', ['--count', '3', ...(await ownPort())], env)
    const output = await printed(child, 'Ctrl-C')
    expectOneOfTen(output)
    expect(output).toMatch(/from sending the request to the end of the answer/)
    expect(output).toMatch(/alone\s+takes \d+ ms \(median of 20\)/)
    expect(output).toMatch(/Before the\s+first measurement, \d+ bursts warmed up the Worker/)
    const [, url = ''] = /runs on workerd: (\S+)/.exec(output)!
    const submit = (): Promise<Response> =>
      fetch(`${url}/assignments/7/submit`, { method: 'POST', headers: { 'x-user': 'ada' } })
    expect([(await submit()).status, (await submit()).status]).toEqual([202, 429])
    child.kill('SIGINT')
    expect((await child).exitCode).toBe(0)
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  })
}, 60_000)

it('npm start shows the same on a busy machine without a server installed', async () => {
  loadMachine()
  const env = { PATH: '/nonexistent' }
  const { stdout, stderr, exitCode } = await runScript(
    'start/main',
    ['--once', ...(await ownPort())],
    env,
  )
  expect(stderr).toBe('')
  expect(stdout).toContain('No redis-server or valkey-server found: 5 nodes on the embedded engine')
  expectOneOfTen(stdout)
  expect(exitCode).toBe(0)
}, 120_000)

it('npm start says how to solve that its port is taken', async () => {
  const first = runScript('start/main', await ownPort())
  const [, port = ''] = /workerd: http:\/\/127\.0\.0\.1:(\d+)/.exec(await printed(first, 'Ctrl-C'))!
  const { exitCode, all } = await runScript('start/main', ['--port', port, '--once'])
  expect(exitCode).toBe(1)
  expect(all).toContain(`Port ${port} is taken: choose another with --port, or leave it out`)
  first.kill('SIGTERM')
  await first
}, 60_000)

// While it prepares, while its Worker starts, and while it warms up.
it.each([0, 300, 1_000, 2_000])(
  'npm start ends silently by Ctrl-C after %d ms',
  async (delay) => {
    await inOwnTmp(async (env) => {
      const args = ['--count', '3', ...(await ownPort())]
      const options = { detached: true, reject: false, env } as const
      const child = execa(process.execPath, ['tools/start/main.ts', ...args], options)
      await eventually(async () => expect(await descendants(child.pid!)).not.toEqual([]))
      await new Promise((resolve) => setTimeout(resolve, delay))
      if (child.exitCode !== null) throw new Error(`It ended by itself: ${(await child).stderr}`)
      // As a terminal does, to all processes at once.
      process.kill(-child.pid!, 'SIGINT')
      expect((await child).stderr).toBe('')
    })
  },
  60_000,
)
