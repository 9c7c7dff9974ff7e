import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { execa } from 'execa'
import { until } from '../cli/until.ts'
import { answers } from './worker.ts'

/** A runtime, and how to start a server on it. */
export type Runtime = {
  readonly name: string
  /** The entry file of the server, which is bundled. */
  readonly entry: string
  readonly platform: 'node' | 'neutral' | 'browser'
  readonly format?: 'esm' | 'iife'
  /** The command that runs the bundle. It prints `listening on PORT`, unless `port` is given here. */
  readonly command: (
    bundle: string,
    directory: string,
  ) => Promise<{ readonly run: readonly [file: string, ...args: string[]]; readonly port?: number }>
  /** Whether its process is stopped between requests. */
  readonly freezes?: boolean
}

/** A server on a port of the loopback interface. */
export type Running = {
  readonly url: string
  readonly pid: number
  readonly call: (path: string, init?: RequestInit) => Promise<Response>
  readonly log: () => string
  readonly stop: () => Promise<void>
}

/** Whether a process is stopped, according to Linux. */
const isStopped = async (pid: number): Promise<boolean> =>
  /\) T/.test(await readFile(`/proc/${pid}/stat`, 'utf8'))

/** Bundles the server for its runtime and starts it. @throws with its log when it does not start. */
export const startRuntime = async (
  host: Runtime,
  env: Record<string, string>,
): Promise<Running> => {
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-runtime-'))
  const removeDirectory = (): Promise<void> => rm(directory, { recursive: true, force: true })
  const format = host.format ?? 'esm'
  const bundle = join(directory, format === 'esm' ? 'server.mjs' : 'server.js')
  const prepare = async (): Promise<Awaited<ReturnType<Runtime['command']>>> => {
    await build({
      entryPoints: [host.entry],
      outfile: bundle,
      bundle: true,
      format,
      platform: host.platform,
      mainFields: ['module', 'main'],
      target: 'es2022',
      logLevel: 'error',
    })
    await writeFile(join(directory, 'nodes.json'), env.REDLOCK_NODES!)
    return host.command(bundle, directory)
  }
  const command = await prepare().catch(async (error: unknown) => {
    await removeDirectory()
    throw error
  })
  const [file, ...args] = command.run
  const child = execa(file, args, { all: true, buffer: false, env, reject: false, stdin: 'ignore' })
  let log = ''
  const stop = async (): Promise<void> => {
    if (host.freezes) child.kill('SIGCONT')
    child.kill('SIGKILL')
    await child
    await removeDirectory()
  }
  let { port } = command
  createInterface({ input: child.all }).on('line', (line) => {
    log = `${log}${line}\n`.slice(-4000)
    port ??= Number(/listening on (\d+)/.exec(line)?.[1] ?? 0) || undefined
  })
  let isUp = false
  const isDecided = async (): Promise<boolean> => {
    isUp = port !== undefined && (await answers(`http://127.0.0.1:${port}`))
    // A process that a signal has ended has no exit code.
    return isUp || child.exitCode !== null || child.signalCode !== null
  }
  await until(isDecided, 20_000).catch(() => {})
  if (!isUp) {
    await stop()
    throw new Error(`${host.name} did not start:\n${log}`)
  }
  const url = `http://127.0.0.1:${port}`
  const send = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(url + path, { redirect: 'manual', ...init })
  // A runtime that freezes gets one request at a time, and is thawed for it.
  let turn: Promise<unknown> = Promise.resolve()
  const thawAndSend = (path: string, init?: RequestInit): Promise<Response> => {
    const answer = turn.then(async () => {
      await until(() => isStopped(child.pid!), 30_000, 'it did not freeze')
      child.kill('SIGCONT')
      return send(path, init)
    })
    turn = answer.catch(() => {})
    return answer
  }
  const pid = child.pid!
  return { url, pid, call: host.freezes ? thawAndSend : send, log: () => log, stop }
}
