import { randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { execa } from 'execa'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startCluster } from '../../tools/servers/cluster.ts'
import { anyPort } from '../../tools/servers/free-port.ts'
import { type Running, startServing } from '../../tools/servers/serving-process.ts'
import { type Counter, startCounter } from '../apps/counter.ts'

// The servers of the pages for Express, Fastify, Koa, Nest and Apollo, and the worker of BullMQ. Only their line for
// the database is replaced. Two processes of each get 20 simultaneous duplicates, and a server outside of them counts
// the effects.

const root = fileURLToPath(new URL('../..', import.meta.url))
const frameworks = ['@apollo/*', '@as-integrations/*', '@koa/*', '@nestjs/*', 'express', 'fastify']
const external = [...frameworks, 'bullmq', 'koa', 'reflect-metadata', 'rxjs', 'node:*']

/** The line that the reader replaces: an effect of 100 ms, which the counter counts. */
const effect = (args: string): string => `const create = async (${args}) => {
  await fetch(process.env.COUNTER + '/begin/' + item, { method: 'POST' })
  await new Promise((resolve) => setTimeout(resolve, 100))
  await fetch(process.env.COUNTER + '/end/' + item, { method: 'POST' })
  return { number: crypto.randomUUID(), item }
}`

/** Writes the files of a page, and bundles one of them with more code at its end. @returns the path of the bundle. */
const bundleOf = async (page: string, entry: string, more = ''): Promise<string> => {
  const directory = await mkdtemp(join(import.meta.dirname, '.page-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const markdown = await readFile(join(root, page), 'utf8')
  let replaced = ''
  for (const [, name, code] of markdown.matchAll(/^```\w+ \[([\w.-]+)\]\n(.*?)^```$/gms)) {
    const line = /^const create = async \((.*?)\) => .* \/\/ replace with your database$/m
    await writeFile(
      join(directory, name!),
      code!.replace(line, (_, args: string) => {
        replaced += name!
        return effect(args)
      }),
    )
  }
  expect(replaced).toContain(entry)
  await appendFile(join(directory, entry), more)
  const outfile = join(directory, 'server.mjs')
  const entries = ['fetch', 'idempotency', 'node'].map((name) => [
    `edge-redlock/${name}`,
    join(root, `src/entries/${name}.ts`),
  ])
  await build({
    entryPoints: [join(directory, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external,
    alias: { ...Object.fromEntries(entries), 'edge-redlock': join(root, 'src/index.ts') },
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
  })
  return outfile
}

type Started = { readonly processes: readonly Running[]; readonly counter: Counter }

/** Two processes of a server of a page. */
const start = async (page: string, entry: string): Promise<Started> => {
  const cluster = await startCluster({ count: 3 })
  onTestFinished(() => cluster.close())
  const counter = await startCounter()
  onTestFinished(() => counter[Symbol.asyncDispose]())
  const file = await bundleOf(page, entry)
  const processes: Running[] = []
  for (let count = 0; count < 2; count++) {
    const port = await anyPort()
    const env = { ...cluster.env, COUNTER: counter.url, PORT: `${port}` }
    const running = await startServing({ name: entry, run: [process.execPath, file], port, env })
    onTestFinished(() => running.stop())
    processes.push(running)
  }
  return { processes, counter }
}

/** Sends 20 duplicates. @returns the effects, the statuses, and how many different responses there were. */
const burst = async (
  { processes, counter }: Started,
  path: string,
  requestOf: (key: string, item: string) => RequestInit,
): Promise<{ effects: number; statuses: Record<number, number>; different: number }> => {
  const [key, item] = [randomUUID(), randomUUID()]
  const sent = Array.from({ length: 20 }, async (_, index) => {
    const init = requestOf(key, item)
    const headers = { ...(init.headers as Record<string, string>), 'x-user': 'ada' }
    const { call } = processes[index % processes.length]!
    const response = await call(path.replace(':item', item), { method: 'POST', ...init, headers })
    const text = await response.text()
    return { status: response.status, text: response.headers.get('location') ?? text }
  })
  const answers = await Promise.all(sent)
  const statuses: Record<number, number> = {}
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
  const different = new Set(answers.map(({ text }) => text)).size
  return { effects: counter.of(item).effects, statuses, different }
}

const headers = { 'content-type': 'application/json' }
const order = (key: string, item: string): RequestInit => ({
  headers: { ...headers, 'idempotency-key': key },
  body: JSON.stringify({ item }),
})
const form = (id: string, item: string): RequestInit => ({
  body: new URLSearchParams({ id, item }),
})
const graphql =
  (query: string, hasKey: boolean) =>
  (id: string, item: string): RequestInit => ({
    headers: { ...headers, ...(hasKey && { 'idempotency-key': id }) },
    body: JSON.stringify({ query, variables: hasKey ? { item } : { id, item } }),
  })
const gift = graphql('mutation ($item: ID!) { gift(item: $item) { number } }', true)
const orderOnce = graphql(
  'mutation ($id: ID!, $item: ID!) { order(id: $id, item: $item) { number } }',
  false,
)

const frameworksPage = 'docs/guides/node-frameworks.md'
const nestPage = 'docs/guides/nest.md'
const apisPage = 'docs/recipes/apis.md'

it.each([
  ['an order', frameworksPage, 'express.js', '/orders', 303, order],
  ['a form', frameworksPage, 'express.js', '/orders', 303, form],
  ['an order', frameworksPage, 'fastify.js', '/orders', 303, order],
  ['an order', frameworksPage, 'koa.js', '/orders', 303, order],
  ['a route under middleware', nestPage, 'main.ts', '/orders', 303, order],
  ['a route with a guard', nestPage, 'main.ts', '/gifts', 201, order],
  ['a route with an interceptor', nestPage, 'main.ts', '/returns', 201, order],
  ['a request with a key', apisPage, 'apollo.js', '/graphql', 200, gift],
  ['a mutation', apisPage, 'apollo.js', '/graphql', 200, orderOnce],
] as const)('performs %s once: %s, %s', async (_, page, entry, path, status, requestOf) => {
  const started = await start(page, entry)
  expect(await burst(started, path, requestOf)).toEqual({
    effects: 1,
    statuses: { [status]: 20 },
    different: 1,
  })
})

it('a lock of Express lets one request run at a time', async () => {
  const started = await start(frameworksPage, 'express.js')
  const { effects, statuses } = await burst(started, '/reports/:item', () => ({}))
  // Late requests may get the lock one after the other, as soon as it is free.
  expect(statuses).toEqual({ 200: effects, 409: 20 - effects })
  expect(effects).toBeLessThan(20)
})

it('performs 20 jobs of BullMQ with one event once, in two workers', async () => {
  const cluster = await startCluster({ count: 3 })
  onTestFinished(() => cluster.close())
  const counter = await startCounter()
  onTestFinished(() => counter[Symbol.asyncDispose]())
  const [id, item] = [randomUUID(), randomUUID()]
  const more = `
const job = { name: 'order', data: ${JSON.stringify({ id, item })} }
await orders.addBulk(Array.from({ length: 10 }, () => job))
setInterval(async () => console.log(await orders.getCompletedCount()), 200)`
  const file = await bundleOf('docs/recipes/queues.md', 'bullmq.js', more)
  const port = cluster.nodes[0]!.redis?.port
  const env = {
    ...cluster.env,
    COUNTER: counter.url,
    REDIS_URL: `redis://127.0.0.1:${port}`,
  }
  let output = ''
  for (let worker = 0; worker < 2; worker++) {
    const child = execa(process.execPath, [file], { env, reject: false })
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    onTestFinished(() => void child.kill('SIGKILL'))
  }
  await vi.waitFor(() => expect(output).toContain('20\n'), 30_000)
  expect(counter.of(item).effects).toBe(1)
})
