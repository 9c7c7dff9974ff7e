import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect } from 'vitest'
import { freePort } from '../../tools/servers/free-port.ts'

/** Runs a script of tools/ in a process of its own, as npm does. */
export const runScript = (
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
) =>
  execa(process.execPath, [`tools/${name}.ts`, ...args], {
    reject: false,
    all: true,
    env,
  })

type Script = ReturnType<typeof runScript>

/** Resolves to the output once it contains the text. @throws when the process ends before. */
export const printed = (child: Script, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ''
    child.all.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes(text)) resolve(output)
    })
    void child.then(() => reject(new Error(`ended without "${text}":\n${output}`)))
  })

/** Whether the process is running. A zombie, which only waits to be reaped, is not. */
export const isRunning = async (pid: number): Promise<boolean> => {
  const { stdout } = await execa('ps', ['-o', 'stat=', '-p', `${pid}`], { reject: false })
  return stdout !== '' && !stdout.trim().startsWith('Z')
}

/** The pids of all descendants of a process. */
export const descendants = async (pid: number): Promise<number[]> => {
  const { stdout } = await execa('ps', ['-eo', 'pid=,ppid='])
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] => {
    const children = pairs.filter(([, of]) => of === parent).map(([child]) => child!)
    return children.concat(children.flatMap(below))
  }
  return below(pid)
}

/**
 * The option of a command for a port of its own. Tests run at the same time, and two workerd processes
 * can listen on one port without an error.
 */
export const ownPort = async (): Promise<string[]> => ['--port', `${await freePort(0)}`]

/** Runs with a temporary directory of its own, which must be empty afterwards. */
export const inOwnTmp = async (run: (env: { TMPDIR: string }) => Promise<void>): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-test-'))
  try {
    await run({ TMPDIR: directory })
    const left = await readdir(directory)
    // Node writes its cache of compiled modules there by itself.
    expect(left.filter((name) => name !== 'node-compile-cache')).toEqual([])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
