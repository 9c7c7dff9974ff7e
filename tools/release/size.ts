import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { runCommand } from '../cli/command.ts'

// Measures the size of the package in a Worker: the built files, bundled and minified as for an edge runtime, then
// gzipped. Budgets are multiples of 0.25 KiB, with room above the measured size. Use the room to improve the code. Raise
// a budget in a separate commit that explains what users gain.

const bundles = [
  {
    name: 'Redlock with REST nodes',
    code: `export { Redlock } from './dist/index.js'`,
    budget: 19.75 * 1024,
  },
  {
    name: 'with the Hono middleware',
    code: `export { Redlock } from './dist/index.js'
           export { lock, throttle } from './dist/entries/hono.js'`,
    budget: 24.75 * 1024,
  },
  {
    name: 'with idempotent requests for Hono',
    code: `export { Redlock } from './dist/index.js'
           export { idempotent } from './dist/entries/idempotency.js'`,
    budget: 30.75 * 1024,
  },
  {
    name: 'with slots',
    code: `export { Redlock } from './dist/index.js'
           export { withSlots } from './dist/index.js'`,
    budget: 22 * 1024,
  },
  {
    name: 'with wake-up',
    code: `export { Redlock } from './dist/index.js'
           export { withWakeUp } from './dist/index.js'`,
    budget: 22.25 * 1024,
  },
  {
    name: 'with tracing',
    code: `export { Redlock } from './dist/index.js'
           export { withTracing } from './dist/index.js'`,
    budget: 21 * 1024,
  },
  {
    name: 'with Durable Objects as nodes, and their class',
    code: `export { Redlock } from './dist/index.js'
           export { durableObjectNodes, RedlockNode } from './dist/entries/durable-object.js'`,
    budget: 24 * 1024,
  },
  {
    name: 'with nodes of the environment',
    code: `export { fromEnv } from './dist/index.js'`,
    budget: 20.75 * 1024,
  },
]

const sizeOf = async (code: string): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: process.cwd() },
    bundle: true,
    external: ['hono', 'cloudflare:workers'],
    format: 'esm',
    minify: true,
    platform: 'neutral',
    target: 'es2022',
    write: false,
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

await runCommand(
  {
    name: 'npm run size --',
    description: 'Measure the bundled, minified and gzipped size of the package',
    options: {},
  },
  async () => {
    const results = await Promise.all(
      bundles.map(async ({ name, code, budget }) => ({ name, bytes: await sizeOf(code), budget })),
    )
    const isMet = results.every(({ bytes, budget }) => bytes < budget)
    return {
      isMet,
      json: { isMet, results },
      lines: [
        ...results.map(({ name, bytes, budget }) => `${name}: ${bytes} B gzip, budget ${budget} B`),
        isMet ? 'Size: within the budgets.' : 'Size: over the budget.',
      ],
    }
  },
)
