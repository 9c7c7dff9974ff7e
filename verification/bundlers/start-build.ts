import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build as transpile, type Plugin } from 'esbuild'
import { execa } from 'execa'
import { type Running, startServing } from '../../tools/servers/serving-process.ts'
import type { Build } from './builds.ts'

const here = import.meta.dirname
const output = join(here, '.build')
const sources = join(here, '../../src/')

/** Turns imports of `src/` into imports of the package, as users write them. */
const importsPackage: Plugin = {
  name: 'imports the package',
  setup: (build) => {
    const entry = /^.*\/src(?:\/index|\/entries(?<name>\/[\w-]+))\.ts$/
    build.onResolve({ filter: entry }, ({ path }) => ({
      path: path.replace(entry, 'edge-redlock$<name>'),
      external: true,
    }))
    build.onLoad({ filter: /\/src\// }, ({ path }) => {
      if (!path.startsWith(sources)) return undefined
      throw new Error(`The app must import an entry of the package, and not ${path}`)
    })
  },
}

/** Writes the app as JavaScript to `.build`, because not every bundler reads TypeScript. */
export const prepareSources = async (): Promise<void> => {
  await rm(output, { recursive: true, force: true })
  await transpile({
    entryPoints: ['app', 'server', 'bun', 'worker'].map((name) => join(here, `app/${name}.ts`)),
    outdir: join(output, 'app'),
    bundle: true,
    packages: 'external',
    format: 'esm',
    target: 'es2022',
    plugins: [importsPackage],
  })
  // The project's `paths` would point a bundler to the sources instead of the package.
  await writeFile(join(output, 'tsconfig.json'), '{}')
}

/** Keeps the tools from prompting, sending telemetry and looking for updates. */
const environment = {
  CI: '1',
  NODE_ENV: 'production',
  NEXT_TELEMETRY_DISABLED: '1',
  WRANGLER_SEND_METRICS: 'false',
}

/** Builds the app with one bundler, and serves the result. @throws with the log if a step fails. */
export const startBuild = async (
  { name, project, build, serve }: Build,
  env: Record<string, string>,
): Promise<Running> => {
  const directory = join(output, name.replaceAll(' ', '-'))
  await (project ? cp(join(here, project), directory, { recursive: true }) : mkdir(directory))
  const options = { cwd: directory, preferLocal: true, env: environment, all: true } as const
  const { failed, all } = await execa({ ...options, reject: false })`${build.split(' ')}`
  if (failed) throw new Error(`${name} did not build:\n${all}`)
  await writeFile(join(directory, 'nodes.json'), env.REDLOCK_NODES!)
  const command = await serve(directory)
  return startServing({ name, ...command, env: { ...environment, ...env } })
}
