import { gzipSync } from 'node:zlib'
import { Command } from 'commander'
import { build } from 'esbuild'

// What a Worker pays for the package: bundled from the built files as a user's bundler does,
// minified, for an edge runtime, gzipped. The budgets are in bytes; 1 KB is 1,024.

const bundles = [
  {
    name: 'Redlock with REST nodes',
    code: `export { Redlock } from './dist/index.js'`,
    budget: 10.5 * 1024,
  },
  {
    name: 'with the Hono middleware',
    code: `export { Redlock } from './dist/index.js'
           export { lock, throttle } from './dist/hono/index.js'`,
    budget: 12.75 * 1024,
  },
]

const sizeOf = async (code: string): Promise<number> => {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: process.cwd() },
    bundle: true,
    external: ['hono'],
    format: 'esm',
    minify: true,
    platform: 'neutral',
    target: 'es2022',
    write: false,
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

const { json } = new Command('npm run size --')
  .description('Measure the bundled, minified and gzipped size of the package')
  .option('--json', 'print the result as JSON')
  .parse()
  .opts<{ json?: true }>()

const results = await Promise.all(
  bundles.map(async ({ name, code, budget }) => ({ name, bytes: await sizeOf(code), budget })),
)
const isMet = results.every(({ bytes, budget }) => bytes < budget)
if (!isMet) process.exitCode = 1
if (json) {
  console.log(JSON.stringify({ isMet, results }))
} else {
  for (const { name, bytes, budget } of results) {
    console.log(`${name}: ${bytes} B gzip, budget ${budget} B`)
  }
  console.log(isMet ? 'Size: within the budgets.' : 'Size: over the budget.')
}
