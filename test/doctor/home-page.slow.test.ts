import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { startCluster } from '../../tools/servers/cluster.ts'
import { run } from './run-doctor.ts'

/** The screen without what differs in each run: ports, times, IDs, and the width that they take. */
const withoutRun = (screen: string): string =>
  screen
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/[+-]?\d+ ms/g, 'TIME')
    .replaceAll(/\b[\da-f]{8}\b/g, 'ID')
    .replaceAll(/token \d+/g, 'token N')
    .replaceAll(/\b\d+\.\d+\.\d+$/gm, 'VERSION')
    .replaceAll(/ +/g, ' ')
    .trim()

it('the home page shows what the doctor says while the second of three servers is down', async () => {
  const settings = { appendonly: 'yes', appendfsync: 'always' }
  const cluster = await startCluster({ count: 3, settings })
  try {
    await cluster.nodes[1]!.controls.crash()
    const { stdout, exitCode } = await run(['doctor'], { env: cluster.env })
    const home = await readFile('docs/index.md', 'utf8')
    const [, screen] = /^```text\n(Nodes from the environment\n.*?)^```$/ms.exec(home)!
    expect(withoutRun(stdout)).toBe(withoutRun(screen!))
    expect(exitCode).toBe(1)
  } finally {
    await cluster.close()
  }
}, 60_000)
