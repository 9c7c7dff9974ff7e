import { chown, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execa, type ResultPromise } from 'execa'
import { anyPort } from './free-port.ts'
import { ensureTools, type Tool } from '../release/ensure-tools.ts'

const advice = `These tests run against real PostgreSQL servers, and no postgres is installed.
Install it, then run the tests again:
  Debian, Ubuntu   sudo apt-get install postgresql
  Fedora           sudo dnf install postgresql-server
  Alpine           sudo apk add postgresql
  macOS            brew install postgresql
The tests start their own servers on free ports; none needs to be running.`

// The folders in which Debian installs the server and its tools. They are not on PATH.
const folders = ['/usr/lib/postgresql/*/bin', '/usr/libexec/postgresql*']
const tool: Tool = { names: ['postgres'], packages: ['postgresql'], folders }

/** A PostgreSQL server with one database. */
export type PostgresServer = {
  readonly url: string
  /** Stops the server as a crash would: without a checkpoint, and without waiting for clients. */
  readonly crash: () => Promise<void>
  /** Starts the server again on the same port, with the data on disk. */
  readonly restart: () => Promise<void>
  /** Stops the server, and removes its folder. */
  readonly stop: () => Promise<void>
}

/** The user that runs the server, because PostgreSQL refuses to run as root. */
const accountOf = async (): Promise<{ uid: number; gid: number } | undefined> => {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all([execa`id -u postgres`, execa`id -g postgres`])
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
}

type Server = Pick<ResultPromise, 'stderr' | 'kill'> & { readonly ended: Promise<unknown> }

const whenReady = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    let log = ''
    server.stderr!.on('data', (text: Buffer) => {
      log += text.toString()
      if (log.includes('ready to accept connections')) resolve()
    })
    void server.ended.then(() => reject(new Error(`PostgreSQL has ended: ${log.slice(-500)}`)))
  })

/**
 * Starts a PostgreSQL server on a free port of the loopback interface. With its default settings, the server writes to
 * disk before it replies. As root on Debian, installs the package first.
 *
 * @throws if PostgreSQL is not installed, or does not start.
 */
export const startPostgres = async (): Promise<PostgresServer> => {
  const [file = ''] = await ensureTools([tool], advice)
  const bin = dirname(await realpath(file))
  const account = await accountOf()
  const folder = await mkdtemp(join(tmpdir(), 'edge-redlock-postgres-'))
  if (account) await chown(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  const own = { ...account, cwd: folder, reject: false } as const
  const made = await execa(join(bin, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'lock'], own)
  if (made.failed) throw new Error(`initdb failed: ${made.stderr}`)
  const port = await anyPort()
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`]
  let server: Server
  const start = (): Promise<void> => {
    const child = execa(join(bin, 'postgres'), ['-D', data, '-p', `${port}`, ...settings], own)
    server = { stderr: child.stderr, kill: child.kill.bind(child), ended: Promise.resolve(child) }
    return whenReady(server)
  }
  const end = async (signal: 'SIGQUIT' | 'SIGINT'): Promise<void> => {
    server.kill(signal)
    await server.ended
  }
  await start()
  return {
    url: `postgres://lock@127.0.0.1:${port}/postgres`,
    crash: () => end('SIGQUIT'),
    restart: start,
    stop: async () => {
      await end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
