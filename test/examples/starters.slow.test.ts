import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { anyPort } from '../../tools/servers/free-port.ts'
import { startWorker } from '../../tools/servers/worker.ts'
import { eventually } from '../support/eventually.ts'
import { freshKey } from '../support/nodes.ts'
import { installExamples, type InstalledExamples } from './installed.ts'

// Runs the starters by the scripts in their package.json, with this package installed by its name. Stand-ins have the
// part of Express and React that the starters use. Next.js itself does not run here, only its route.

const REDLOCK_NODES = inject('REDLOCK_NODES')
const inMemory = 'Nodes in memory: one process only; set REDLOCK_NODES for production'
const oneOfTen = [202, ...Array.from({ length: 9 }, () => 429)]

/** The types of React that the starter for Next.js uses. */
const reactTypes = `
declare module 'react' {
  export type ReactNode = unknown
  export function useState<T>(value: T): [T, (value: T) => void]
}
declare module 'react/jsx-runtime' {
  export namespace JSX {
    type Element = unknown
    interface IntrinsicElements { [name: string]: object }
  }
}
`

let installed: InstalledExamples
const folderOf = (starter: string): string =>
  join(installed.directory, 'examples/starters', starter)

const installExpress = async (): Promise<void> => {
  const directory = join(installed.directory, 'node_modules/express')
  await mkdir(directory)
  const standIn = fileURLToPath(new URL('stand-ins/express.js', import.meta.url))
  await cp(standIn, join(directory, 'index.js'))
  await writeFile(
    join(directory, 'package.json'),
    JSON.stringify({ type: 'module', main: 'index.js' }),
  )
}

beforeAll(async () => {
  installed = await installExamples()
  await installExpress()
}, 60_000)
afterAll(() => installed.remove())

const scriptOf = async (starter: string, name: string): Promise<string> => {
  const text = await readFile(join(folderOf(starter), 'package.json'), 'utf8')
  return (JSON.parse(text) as { scripts: Record<string, string> }).scripts[name]!
}

it('have one page, since each starter is copied alone', async () => {
  const pages: string[] = []
  for await (const file of glob('examples/starters/**/index.html')) {
    pages.push(await readFile(file, 'utf8'))
  }
  expect(pages).toHaveLength(4)
  expect(new Set(pages).size).toBe(1)
})

type Post = (init: RequestInit) => Promise<Response>

const over =
  (url: string): Post =>
  (init) =>
    fetch(`${url}/submit`, init)

/** The sorted statuses of ten simultaneous submits of one user. */
const submitTenTimes = async (post: Post): Promise<number[]> => {
  const init = { method: 'POST', headers: { 'x-user': freshKey() } }
  const responses = await Promise.all(Array.from({ length: 10 }, () => post(init)))
  return responses.map(({ status }) => status).sort((a, b) => a - b)
}

/** What the page and the route of a starter answer. */
const answersOf = async (url: string) => ({
  hasPage: (await (await fetch(url)).text()).includes('Submit ten times'),
  ofTen: await submitTenTimes(over(url)),
  withoutUser: (await over(url)({ method: 'POST' })).status,
})
const expected = { hasPage: true, ofTen: oneOfTen, withoutUser: 401 }

/** Runs a script of a starter for Node. A variable of the environment takes precedence over the files that it reads. */
const startNode = async (starter: string, script: string, variables: Record<string, string>) => {
  const [, ...args] = (await scriptOf(starter, script)).replace('--watch ', '').split(' ')
  const port = await anyPort()
  const child = execa(process.execPath, args, {
    all: true,
    cwd: folderOf(starter),
    env: { NODE_ENV: undefined, REDLOCK_NODES: undefined, ...variables, PORT: `${port}` },
    reject: false,
  })
  return { child, url: `http://localhost:${port}` }
}

describe.each(['express', 'lambda'])('examples/starters/%s', (starter) => {
  it.each([
    ['in memory', {}, true],
    ['on the nodes of the environment', { REDLOCK_NODES }, false],
  ])('accepts one of ten submits, %s', async (_, variables, isInMemory) => {
    const { child, url } = await startNode(starter, 'dev', variables)
    try {
      await eventually(() => fetch(url))
      expect(await answersOf(url)).toEqual(expected)
    } finally {
      child.kill()
    }
    expect((await child).all.includes(inMemory)).toBe(isInMemory)
  })

  it('ends with an error in production without nodes', async () => {
    const { child } = await startNode(starter, 'dev', { NODE_ENV: 'production' })
    const { exitCode, all } = await child
    expect(exitCode).toBe(1)
    expect(all).toContain('`REDLOCK_NODES` must be')
  })
})

it('examples/starters/express starts without nodes in memory', async () => {
  const { child } = await startNode('express', 'start', {})
  expect((await child).all).toContain('`REDLOCK_NODES` must be')
})

it('examples/starters/lambda has no nodes in memory on Lambda, which sets no NODE_ENV', async () => {
  const env = { NODE_ENV: undefined, REDLOCK_NODES: undefined }
  const options = { cwd: folderOf('lambda'), env, reject: false }
  const { stderr } = await execa(process.execPath, ['index.ts'], options)
  expect(stderr).toContain('`REDLOCK_NODES` must be')
})

describe.each(['workers-durable-objects', 'workers-redis'])('examples/starters/%s', (starter) => {
  it('accepts one of ten submits, with what `npm run dev` sets', async () => {
    const script = await scriptOf(starter, 'dev')
    const set = [...script.matchAll(/--var (\w+):(\S+)/g)].map(([, name, value]) => [name, value])
    const config = join(folderOf(starter), 'wrangler.jsonc')
    const worker = await startWorker({ variables: Object.fromEntries(set), config, port: 0 })
    try {
      expect(await answersOf(worker.url)).toEqual(expected)
    } finally {
      await worker.stop()
    }
  })
})

it('examples/starters/workers-redis uses the nodes of its variable, and fails without them', async () => {
  const { default: worker } = await import('../../examples/starters/workers-redis/worker.ts')
  const submit =
    (bindings: object): Post =>
    async (init) =>
      worker.request('/submit', init, bindings)
  expect(await submitTenTimes(submit({ REDLOCK_NODES, MEMORY_NODES: 'true' }))).toEqual(oneOfTen)
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(new Set(await submitTenTimes(submit({})))).toEqual(new Set([500]))
  expect(String(log.mock.calls[0])).toContain('`REDLOCK_NODES` must be')
  log.mockRestore()
})

describe('examples/starters/nextjs', () => {
  // Next.js imports without extensions, which the compiler of this repository rejects: it must not follow the path.
  const route: string = '../../examples/starters/nextjs/app/submit/route.ts'
  const post: Post = async (init) => {
    const { POST } = (await import(route)) as { POST: (request: Request) => Promise<Response> }
    return POST(new Request('https://example.com/submit', init))
  }

  it('accepts one of ten submits, in memory and on the nodes of the environment', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.stubEnv('NODE_ENV', 'development')
    expect(await submitTenTimes(post)).toEqual(oneOfTen)
    expect(log.mock.calls).toEqual([[inMemory]])
    vi.stubEnv('REDLOCK_NODES', REDLOCK_NODES)
    expect(await submitTenTimes(post)).toEqual(oneOfTen)
    expect((await post({ method: 'POST' })).status).toBe(401)
    vi.unstubAllEnvs()
    log.mockRestore()
  })

  it('fails in production without nodes', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    await expect(submitTenTimes(post)).rejects.toThrow('`REDLOCK_NODES` must be')
    vi.unstubAllEnvs()
  })

  it('has correct types', async () => {
    const directory = folderOf('nextjs')
    await writeFile(join(directory, 'react.d.ts'), reactTypes)
    const compilerOptions = { types: ['node'], plugins: [], incremental: false }
    const config = { extends: './tsconfig.json', compilerOptions }
    await writeFile(join(directory, 'tsconfig.check.json'), JSON.stringify(config))
    const options = { cwd: directory, localDir: process.cwd(), preferLocal: true, reject: false }
    const { stdout } = await execa('tsc', ['-p', 'tsconfig.check.json'], options)
    expect(stdout).toBe('')
  })
})
