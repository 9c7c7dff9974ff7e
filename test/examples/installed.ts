import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A copy of the examples in a folder of its own, as in the project of a user. */
export type InstalledExamples = {
  readonly directory: string
  readonly remove: () => Promise<void>
}

/**
 * Copies the examples, and installs what they import by name: this package, built and packed as for a
 * registry, and its peers.
 */
export const installExamples = async (): Promise<InstalledExamples> => {
  const directory = await mkdtemp(join(tmpdir(), 'examples-'))
  const modules = join(directory, 'node_modules')
  const own = join(modules, 'edge-redlock')
  await mkdir(own, { recursive: true })
  for (const config of ['tsconfig.build.json', 'tsconfig.node.json']) {
    const build = ['-p', config, '--outDir', join(own, 'dist')]
    await execa('tsc', build, { cwd: root, preferLocal: true, all: true })
  }
  await cp(join(root, 'package.json'), join(own, 'package.json'))
  for (const name of [
    'hono',
    '@hono/node-server',
    '@types/node',
    '@types/pg',
    'pg',
    '@cloudflare/vitest-plugin',
  ]) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(root, 'node_modules', name), join(modules, name))
  }
  await cp(join(root, 'examples'), join(directory, 'examples'), { recursive: true })
  await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module' }))
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) }
}

/** Checks the types of the examples against those of the package. @returns what the compiler printed. */
export const checkTypes = async (directory: string): Promise<string | undefined> => {
  const compilerOptions = {
    module: 'NodeNext',
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: ['node', '@cloudflare/vitest-plugin/types'],
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    strict: true,
  }
  // The starter for Next.js has JSX, and a configuration of its own.
  const exclude = ['examples/starters/nextjs']
  const config = JSON.stringify({ compilerOptions, include: ['examples'], exclude })
  await writeFile(join(directory, 'tsconfig.json'), config)
  const { all } = await execa('tsc', ['-p', directory], {
    cwd: root,
    preferLocal: true,
    reject: false,
    all: true,
  })
  return all
}
