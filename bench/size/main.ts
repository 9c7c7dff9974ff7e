import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { runCommand } from '../../tools/cli/command.ts'
import { type Columns, terminalTable } from '../shared/table.ts'

// The size of a lock in the bundle of an application, with the client that it needs: bundled, minified and gzipped.
// Hono is not counted, because an application that uses the middleware has it anyway.

type Bundle = { readonly name: string; readonly code: string; readonly platform?: 'node' }

const bundles: readonly Bundle[] = [
  { name: 'edge-redlock', code: `export { Redlock } from '../dist/index.js'` },
  {
    name: 'edge-redlock with throttle and fromEnv',
    code: `export { fromEnv, throttle } from '../dist/index.js'`,
  },
  {
    name: 'edge-redlock with the Hono middleware',
    code: `export { Redlock } from '../dist/index.js'
           export { lock, throttle } from '../dist/entries/hono.js'`,
  },
  {
    name: '@upstash/lock and @upstash/redis',
    code: `export { Lock } from '@upstash/lock'; export { Redis } from '@upstash/redis'`,
  },
  {
    name: '@upstash/ratelimit and @upstash/redis',
    code: `export { Ratelimit } from '@upstash/ratelimit'; export { Redis } from '@upstash/redis'`,
  },
  {
    name: 'redlock 5 and ioredis (not at the edge)',
    code: `export { default } from 'redlock-5'; export { Redis } from 'ioredis'`,
    platform: 'node',
  },
]

const sizeOf = async ({ code, platform }: Bundle): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: `${import.meta.dirname}/..` },
    bundle: true,
    external: ['hono'],
    format: 'esm',
    minify: true,
    platform: platform ?? 'browser',
    target: 'es2022',
    write: false,
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

type Size = { readonly name: string; readonly bytes: number }

const kibibytes = ({ bytes }: Size): string => (bytes / 1024).toFixed(1)

const columns: Columns<Size> = {
  bundle: ({ name }) => name,
  bytes: ({ bytes }) => bytes,
  KiB: kibibytes,
}

await runCommand(
  {
    name: 'npm run bench -- size',
    description: 'Measure the size of this package and of others in a bundle',
    options: {},
  },
  async () => {
    const sizes = await Promise.all(
      bundles.map(async (bundle) => ({ name: bundle.name, bytes: await sizeOf(bundle) })),
    )
    const [own] = sizes
    return {
      isMet: true,
      json: { sizes },
      lines: [terminalTable(sizes, columns), `Size: ${own!.name} ${kibibytes(own!)} KiB.`],
    }
  },
)
