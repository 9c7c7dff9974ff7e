import { readFile, writeFile } from 'node:fs/promises'
import { type Matrix, toMarkdown } from './matrix.ts'

const page = new URL('../../verification/reports/runtimes.md', import.meta.url)

// The page has two parts, which different commands write. This heading separates them.
const secondPart = '## Bundlers\n'

const partsOf = async (): Promise<readonly [string, string]> => {
  const text = await readFile(page, 'utf8')
  const at = text.indexOf(secondPart)
  return at < 0 ? [text, secondPart] : [text.slice(0, at), text.slice(at)]
}

const join = (first: string, second: string): Promise<void> =>
  writeFile(page, `${first.trimEnd()}\n\n${second.trimEnd()}\n`)

/** Writes the part on runtimes. */
export const writeRuntimes = async (matrix: Matrix, versions: readonly string[]): Promise<void> => {
  const [, bundlers] = await partsOf()
  const text = `# Runtimes

The same suite runs on every runtime, against five real Redis servers. Each runtime serves the same app of Hono and the same plain functions; the last three serve the same paths through \`edge-redlock/node\`. The suite sends requests from outside, resets connections, and reads the keys on the servers afterwards. \`npm run verify -- conformance --write\` writes this table. [Bundlers](#bundlers) have a table of their own.

${toMarkdown(matrix)}

- *workerd* runs without \`wrangler dev\`, whose proxy hides the disconnect of a client.
- *Vercel* is Hono's adapter on Node, with Vercel's request context. *edge-runtime* is Vercel's emulator of its edge.
- *Lambda* is Hono's adapter, with events of payload 1.0 and 2.0, and with a streamed response. As on AWS, the process is stopped (SIGSTOP) as soon as the response has been sent, and the servers are read at that moment.
- *node:http*, *Express 5* and *Fastify 5* run on Node 24. *A parser of bodies* is \`express.json()\`, or that of Fastify.

Versions: ${versions.join(', ')}.
`
  await join(text, bundlers)
}

/** Writes the part on bundlers. */
export const writeBundlers = async (matrix: Matrix, versions: readonly string[]): Promise<void> => {
  const [runtimes] = await partsOf()
  const text = `${secondPart}
A bundler rewrites the package before a runtime sees it. So every bundler builds one app with the packed package, minified and in production mode. The result runs against three real Redis servers, where requests compete for locks. \`npm run verify -- bundlers --write\` writes this table.

${toMarkdown(matrix)}

- *Next.js* is \`next build\` and \`next start\`, with a route handler and a Server Action of the App Router. The form of the action is submitted twice at once, as a browser without JavaScript does; the action runs once, and both submits get its order.
- *Wrangler* is \`wrangler deploy --dry-run\`, and its result runs on workerd. *Bun* is \`bun build\`, and its result runs on Bun. The results of the others run on Node.
- In *a split vote*, three clients each reach another node first, so each gets one vote.

Versions: ${versions.join(', ')}.
`
  await join(runtimes, text)
}
