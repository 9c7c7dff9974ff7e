import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { until } from '../cli/until.ts'
import { answers } from './worker.ts'

/** A command that serves on a port of the loopback interface. */
export type ServerCommand = {
  readonly name: string
  readonly run: readonly [file: string, ...args: string[]]
  /** The port of the server. Default: the port in the line that the server prints. */
  readonly port?: number | undefined
  readonly env: Readonly<Record<string, string>>
  /** Whether the process is suspended between requests. */
  readonly freezes?: boolean | undefined
}

/** A server on a port of the loopback interface. */
export type Running = {
  readonly url: string
  readonly pid: number
  readonly call: (path: string, init?: RequestInit) => Promise<Response>
  readonly log: () => string
  readonly stop: () => Promise<void>
}

// The line that the servers of this repository and workerd print.
const listening = /(?:listening on |"event":"listen",.*"port":)(\d+)/

/** Whether a process is suspended, according to Linux. */
const isStopped = async (pid: number): Promise<boolean> =>
  /\) T/.test(await readFile(`/proc/${pid}/stat`, 'utf8'))

/** Runs the command and waits until the server responds. @throws an error with the log if the server does not start. */
export const startServing = async ({
  name,
  run: [file, ...args],
  port,
  env,
  freezes,
}: ServerCommand): Promise<Running> => {
  const child = execa(file, args, { all: true, buffer: false, env, reject: false, stdin: 'ignore' })
  let log = ''
  const stop = async (): Promise<void> => {
    if (freezes) child.kill('SIGCONT')
    child.kill('SIGKILL')
    await child
  }
  createInterface({ input: child.all }).on('line', (line) => {
    log = `${log}${line}\n`.slice(-4000)
    port ??= Number(listening.exec(line)?.[1] ?? 0) || undefined
  })
  let isUp = false
  const isDecided = async (): Promise<boolean> => {
    isUp = port !== undefined && (await answers(`http://127.0.0.1:${port}`))
    // A process that was killed by a signal has no exit code.
    return isUp || child.exitCode !== null || child.signalCode !== null
  }
  await until(isDecided, 20_000).catch(() => {})
  if (!isUp) {
    await stop()
    throw new Error(`${name} did not start:\n${log}`)
  }
  const url = `http://127.0.0.1:${port}`
  const send = (path: string, init?: RequestInit): Promise<Response> =>
    fetch(url + path, { redirect: 'manual', ...init })
  // A runtime that is suspended between requests is resumed for one request at a time.
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
  return { url, pid: child.pid!, call: freezes ? thawAndSend : send, log: () => log, stop }
}
