import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { type Running, type ServerCommand, startServing } from './serving-process.ts'

export type { Running } from './serving-process.ts'

/** A runtime, and the command that starts a server on it. */
export type Runtime = Pick<ServerCommand, 'name' | 'freezes'> & {
  /** The entry file of the server, which will be bundled. */
  readonly entry: string
  readonly platform: 'node' | 'neutral' | 'browser'
  readonly format?: 'esm' | 'iife' | 'cjs'
  /** The command that runs the bundle. */
  readonly command: (
    bundle: string,
    directory: string,
  ) => Promise<Pick<ServerCommand, 'run' | 'port'>>
}

/** Bundles the server for its runtime and starts it. @throws an error with its log if it does not start. */
export const startRuntime = async (
  { name, entry, platform, format = 'esm', command, freezes }: Runtime,
  env: Record<string, string>,
): Promise<Running> => {
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-runtime-'))
  const removeDirectory = (): Promise<void> => rm(directory, { recursive: true, force: true })
  const bundle = join(directory, format === 'esm' ? 'server.mjs' : 'server.js')
  try {
    await build({
      entryPoints: [entry],
      outfile: bundle,
      bundle: true,
      format,
      platform,
      mainFields: ['module', 'main'],
      target: 'es2022',
      external: ['cloudflare:*', 'node:*'],
      logLevel: 'error',
    })
    await writeFile(join(directory, 'nodes.json'), env.REDLOCK_NODES!)
    const { run, port } = await command(bundle, directory)
    const running = await startServing({ name, run, port, env, freezes })
    const stop = async (): Promise<void> => {
      await running.stop()
      await removeDirectory()
    }
    return { ...running, stop }
  } catch (error) {
    await removeDirectory()
    throw error
  }
}
