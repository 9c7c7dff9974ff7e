import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { anyPort } from './free-port.ts'
import { Redis } from 'ioredis'
import { findCommand } from '../release/ensure-tools.ts'

/** Servers that speak the Redis protocol, in order of preference. */
export const engines = ['redis-server', 'valkey-server'] as const
export type Engine = (typeof engines)[number]

/**
 * A server with a separate directory. `stop` ends the server and removes the directory. `crash` kills the server with
 * SIGKILL, and `restart` starts it again on the same port, with the data on disk. `freeze` suspends it until `resume`:
 * during that time, it does not reply.
 */
export type RedisServer = {
  readonly port: number
  readonly pid: number
  readonly directory: string
  readonly crash: () => Promise<void>
  readonly freeze: () => void
  readonly resume: () => void
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** The functions with which a test can inject faults into a server. */
export type ServerControls = Pick<RedisServer, 'crash' | 'freeze' | 'resume' | 'restart'>

/** Finds the first Redis or Valkey server on PATH; undefined if none is installed. */
export const findRedisServer = (path?: string): { engine: Engine; file: string } | undefined => {
  const found = findCommand(engines, path)
  return found && { engine: found.name, file: found.file }
}

const answersPing = async (port: number): Promise<boolean> => {
  // Disable the ready check of ioredis, which waits up to 10 s while the server loads its data.
  const own = { lazyConnect: true, retryStrategy: null, enableReadyCheck: false }
  const client = new Redis({ host: '127.0.0.1', port, ...own })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.ping()) === 'PONG'
  } catch {
    return false
  } finally {
    client.disconnect()
  }
}

/**
 * Starts a Redis server on a free port of the loopback interface, or on the given port. Resolves when the server
 * replies. The server loses its data when it ends, unless it is `persistent`: then it writes to disk before it replies.
 * It ends with this process, unless this process is killed with SIGKILL.
 *
 * @throws if no server is installed. If the server does not reply within 10 s, the error contains the end of its log.
 * @example
 * ```ts
 * const server = await startRedis()
 * const client = new Redis({ host: '127.0.0.1', port: server.port })
 * await server.stop()
 * ```
 */
export const startRedis = async (
  options: {
    readonly port?: number
    readonly persistent?: boolean
    /** Additional settings of the server, by name. For several words, use an array: `['INFO', '']`. */
    readonly settings?: Readonly<Record<string, string | readonly string[]>> | undefined
    /** Environment variables of the server. */
    readonly env?: Readonly<Record<string, string>> | undefined
  } = {},
): Promise<RedisServer> => {
  const found = findRedisServer()
  if (!found) throw new Error('No redis-server or valkey-server on PATH')
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-redis-'))
  const port = options.port ?? (await anyPort())
  const settings = {
    bind: '127.0.0.1',
    port: `${port}`,
    save: '',
    appendonly: options.persistent ? 'yes' : 'no',
    appendfsync: 'always',
    dir: directory,
    ...options.settings,
  }
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value].flat())
  const launch = () =>
    execa(found.file, words, {
      reject: false,
      all: true,
      env: options.env ?? {},
      forceKillAfterDelay: 2000,
      maxBuffer: 100_000,
    })
  let child: ReturnType<typeof launch>
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    child.kill(signal)
    await child
  }
  const stop = async (): Promise<void> => {
    // Resume the server first, because a suspended process does not handle SIGTERM.
    child.kill('SIGCONT')
    await end('SIGTERM')
    await rm(directory, { recursive: true, force: true })
  }
  const start = async (): Promise<void> => {
    child = launch()
    let log = ''
    child.all.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-2000)))
    const deadline = Date.now() + 10_000
    // Check the log as well: another server may have taken the port in the meantime, and reply instead.
    while (!(log.includes('Ready to accept connections') && (await answersPing(port)))) {
      if (child.exitCode !== null || child.signalCode || Date.now() > deadline) {
        await stop()
        throw new Error(`${found.engine} did not answer on port ${port}:\n${log}`)
      }
      await sleep(5)
    }
  }
  await start()
  return {
    port,
    get pid() {
      return child.pid!
    },
    directory,
    crash: () => end('SIGKILL'),
    freeze: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    restart: start,
    stop,
  }
}
