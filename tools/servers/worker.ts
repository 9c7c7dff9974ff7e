import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { writeEnvFile } from '../cli/env-file.ts'
import { freePort } from './free-port.ts'

/** A Worker under `wrangler dev`, on real workerd. `stop` ends the Worker and all of its processes. */
export type Worker = { readonly url: string; readonly stop: () => Promise<void> }

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Whether a server responds to HTTP at the URL. */
export const answers = async (url: string): Promise<boolean> => {
  try {
    await (await fetch(url, { signal: AbortSignal.timeout(1000) })).text()
    return true
  } catch {
    return false
  }
}

/** Makes wrangler write all files to `directory`, and disables telemetry. */
const environment = (directory: string): Record<string, string> => ({
  CI: '1',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_CACHE_DIR: join(directory, 'cache'),
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG_PATH: join(directory, 'log'),
  WRANGLER_REGISTRY_PATH: join(directory, 'registry'),
  WRANGLER_SEND_METRICS: 'false',
  XDG_CONFIG_HOME: join(directory, 'config'),
})

/**
 * Starts the Worker of a `wrangler.toml` with the variables as its bindings. Resolves when the Worker responds.
 *
 * @param options.port - The port; 0 for any. Default: 8787, or the next free port.
 * @throws an error with the end of the log if the Worker ends early or does not respond within a minute.
 * @example
 * ```ts
 * const worker = await startWorker({ variables: cluster.env })
 * ```
 */
export const startWorker = async ({
  variables,
  config = join(root, 'wrangler.toml'),
  port,
}: {
  variables: Readonly<Record<string, string>>
  config?: string
  port?: number | undefined
}): Promise<Worker> => {
  const free = await freePort(port)
  const envFile = await writeEnvFile(variables)
  const url = `http://127.0.0.1:${free}`
  const child = execa(
    'wrangler',
    [
      'dev',
      `--config=${config}`,
      `--env-file=${envFile.path}`,
      '--ip=127.0.0.1',
      `--port=${free}`,
      '--inspector-port=0',
      `--persist-to=${join(envFile.directory, 'state')}`,
      '--show-interactive-dev-session=false',
    ],
    {
      all: true,
      buffer: false,
      cwd: root,
      env: environment(envFile.directory),
      forceKillAfterDelay: 10_000,
      localDir: root,
      preferLocal: true,
      reject: false,
      stdin: 'ignore',
    },
  )
  let log = ''
  child.all.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4000)))
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await child
    await envFile.remove()
    // wrangler leaves these two directories behind. They are empty unless another process uses them.
    for (const directory of ['.wrangler/tmp', '.wrangler']) {
      await rmdir(join(root, directory)).catch(() => {})
    }
  }
  const deadline = Date.now() + 60_000
  while (!(await answers(url))) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`wrangler dev did not answer on ${url}:\n${log}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return { url, stop }
}
