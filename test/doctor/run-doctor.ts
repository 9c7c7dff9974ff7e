import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { execa } from 'execa'
import { expect } from 'vitest'
import type { Check, Finding } from '../../src/entries/doctor.ts'
import type { RestNodeOptions } from '../../src/index.ts'

const root = resolve(import.meta.dirname, '../..')
const main = join(root, 'src/operations/cli/main.ts')
// A hundred processes load the same sources: they are compiled once.
const compiled = join(root, 'node_modules/.cache/node-compile-cache')

/** The variables for these nodes. */
export const envOf = (nodes: readonly RestNodeOptions[]): Record<string, string> => ({
  REDLOCK_NODES: JSON.stringify(
    // In JSON, a volatile node has the options of `quarantine`.
    nodes.map(({ url, token, volatile }) => ({
      url,
      token,
      ...(volatile && { volatile: { withoutRunId: volatile.withoutRunId } }),
    })),
  ),
})

export type Run = {
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command as a process in a directory that has these files and nothing else. */
export const run = async (
  args: readonly string[],
  {
    env = {},
    files = {},
  }: { env?: Record<string, string>; files?: Readonly<Record<string, string>> } = {},
): Promise<Run> => {
  const cwd = await mkdtemp(join(tmpdir(), 'edge-redlock-doctor-'))
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
    const { exitCode, stdout, stderr } = await execa(process.execPath, [main, ...args], {
      cwd,
      env: { NODE_COMPILE_CACHE: compiled, ...env },
      extendEnv: false,
      reject: false,
    })
    return { exitCode, stdout, stderr }
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

type Report = Check & {
  readonly isWell: boolean
  readonly source: string
  readonly findings: readonly Finding[]
}

/** Runs the doctor twice, for a terminal and with `--json`; neither may print a token. */
export const examine = async (
  nodes: readonly RestNodeOptions[],
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<{
  readonly text: string
  readonly exitCode: number | undefined
  readonly report: Report
}> => {
  const variables = { ...envOf(nodes), ...env }
  const [plain, json] = await Promise.all([
    run(['doctor', ...args], { env: variables }),
    run(['doctor', '--json', ...args], { env: variables }),
  ])
  expect(json.exitCode).toBe(plain.exitCode)
  expect(plain.stderr + json.stderr).toBe('')
  for (const { token } of nodes) expect(plain.stdout + json.stdout).not.toContain(token)
  const report = JSON.parse(json.stdout) as Report
  for (const { fix } of report.findings) expect(plain.stdout).toContain(fix)
  return { text: plain.stdout, exitCode: plain.exitCode, report }
}

/** The problems of a report, each as its code and its nodes. */
export const problemsOf = ({ findings }: Report): (readonly [string, ...string[]])[] =>
  findings.flatMap(({ level, code, nodes }) => (level === 'problem' ? [[code, ...nodes]] : []))
