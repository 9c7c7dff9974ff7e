import { copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { anyPort } from '../../tools/servers/free-port.ts'
import type { ServerCommand } from '../../tools/servers/serving-process.ts'
import { workerd } from '../../tools/servers/workerd.ts'

/** A bundler as a user runs it: minified, in production mode, with the package inside. */
export type Build = {
  readonly name: string
  /** The package of the bundler. */
  readonly source: string
  /** A folder whose content is copied to the build folder. */
  readonly project?: string
  /** Runs two folders below this one, in `.build/NAME`, next to the sources in `.build/app`. */
  readonly build: string
  /** The command that runs the result. */
  readonly serve: (directory: string) => Promise<Pick<ServerCommand, 'run' | 'port'>>
}

const require = createRequire(import.meta.url)
const modules = join(import.meta.dirname, 'node_modules')

/** Runs a file on the Node of the project. */
const onNode = (file: string) => async (directory: string) => ({
  run: [process.execPath, join(directory, file)] as const,
})

const next = {
  source: 'next',
  project: 'next',
  serve: async (directory: string) => {
    const port = await anyPort()
    const start = [join(modules, 'next/dist/bin/next'), 'start', directory]
    return { run: [process.execPath, ...start, '-H', '127.0.0.1', '-p', `${port}`] as const, port }
  },
}

/** Every bundler that users of the package are likely to have. */
export const builds: readonly Build[] = [
  { ...next, name: 'Next.js Turbopack', build: 'next build --turbopack' },
  { ...next, name: 'Next.js webpack', build: 'next build --webpack' },
  {
    name: 'esbuild',
    source: 'esbuild',
    build:
      'esbuild ../app/server.js --bundle --minify --platform=node --format=esm --outfile=server.mjs',
    serve: onNode('server.mjs'),
  },
  {
    name: 'Rolldown',
    source: 'rolldown',
    build: 'rolldown ../app/server.js --minify --platform node --file server.mjs',
    serve: onNode('server.mjs'),
  },
  {
    name: 'Vite',
    source: 'vite',
    build: 'vite build --config ../../config/vite.config.js --ssr ../app/server.js',
    serve: onNode('dist/server.js'),
  },
  {
    name: 'Rollup',
    source: 'rollup',
    build: 'rollup ../app/server.js -p node-resolve -p terser --file server.mjs',
    serve: onNode('server.mjs'),
  },
  {
    name: 'Rspack',
    source: '@rspack/core',
    build: 'rspack build --config ../../config/webpack.config.js',
    serve: onNode('dist/server.cjs'),
  },
  {
    name: 'webpack',
    source: 'webpack',
    build: 'webpack build --config ../../config/webpack.config.js',
    serve: onNode('dist/server.cjs'),
  },
  {
    name: 'Wrangler',
    source: 'wrangler',
    project: 'wrangler',
    build: 'wrangler deploy --dry-run --minify --outdir dist',
    serve: async (directory) => {
      await copyFile(join(directory, 'dist/worker.js'), join(directory, 'server.mjs'))
      return workerd('').command('', directory)
    },
  },
  {
    name: 'Bun',
    source: '@oven/bun-linux-x64',
    build:
      '../../node_modules/@oven/bun-linux-x64/bin/bun build ../app/bun.js --minify --production --target=bun --outfile=server.js',
    serve: async (directory) => ({
      run: [join(modules, '@oven/bun-linux-x64/bin/bun'), join(directory, 'server.js')],
    }),
  },
]

/** The exact version of a bundler, for the docs. */
export const versionOf = ({ source }: Build): string =>
  (require(`${source}/package.json`) as { version: string }).version
