import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An env file in a new temporary directory; `remove` deletes both. */
export type EnvFile = {
  readonly directory: string
  readonly path: string
  readonly remove: () => Promise<void>
}

/**
 * Writes variables to a temporary env file that only this user can read. With `--env-file`, wrangler reads this file
 * instead of `.dev.vars`.
 *
 * @example
 * ```ts
 * const file = await writeEnvFile({ REDLOCK_NODES: '[...]' })
 * ```
 */
export const writeEnvFile = async (
  variables: Readonly<Record<string, string>>,
): Promise<EnvFile> => {
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-env-'))
  const path = join(directory, 'nodes.env')
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`)
  await writeFile(path, lines.join(''), { mode: 0o600 })
  return { directory, path, remove: () => rm(directory, { recursive: true, force: true }) }
}
