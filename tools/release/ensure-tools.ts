import { accessSync, constants, existsSync, globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'

/** A command that npm cannot install, with its possible names and its Debian packages. */
export type Tool = {
  readonly names: readonly string[]
  readonly packages: readonly string[]
  /** Patterns for the folders of the command, if its package installs it outside of PATH. */
  readonly folders?: readonly string[]
}

const pathOf = ({ folders = [] }: Tool): string =>
  [process.env.PATH ?? '', ...globSync([...folders])].join(delimiter)

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Finds the first of these commands that is on PATH. */
export const findCommand = <Name extends string>(
  names: readonly Name[],
  path: string = process.env.PATH ?? '',
): { name: Name; file: string } | undefined => {
  for (const name of names) {
    for (const directory of path.split(delimiter).filter(Boolean)) {
      const file = join(directory, name)
      if (isExecutable(file)) return { name, file }
    }
  }
  return undefined
}

// A lock makes concurrent processes install one after the other, because apt-get refuses to run twice.
const aptGet = [join(tmpdir(), 'edge-redlock-install.lock'), 'apt-get'] as const

const install = async (packages: readonly string[]): Promise<void> => {
  const listed = packages.length > 1 ? 'packages' : 'package'
  console.error(`Installing the Debian ${listed} ${packages.join(', ')} with apt-get.`)
  // Redirect the output to stderr, because the calling command may print JSON to standard output.
  const options = { stdio: ['ignore', 2, 2], env: { DEBIAN_FRONTEND: 'noninteractive' } } as const
  await execa('flock', [...aptGet, 'update', '-qq'], options)
  const flags = ['install', '-y', '-qq', '--no-install-recommends']
  await execa('flock', [...aptGet, ...flags, ...packages], options)
}

/**
 * Returns the executables of the tools, in the given order. As root on Debian, installs missing tools first, unless
 * EDGE_REDLOCK_INSTALL=never.
 *
 * @throws an error with instructions if a tool is missing.
 */
export const ensureTools = async (tools: readonly Tool[], advice: string): Promise<string[]> => {
  const missing = tools.filter((tool) => !findCommand(tool.names, pathOf(tool)))
  const isAllowed = process.env.EDGE_REDLOCK_INSTALL !== 'never'
  const canInstall = isAllowed && process.getuid?.() === 0 && existsSync('/etc/debian_version')
  if (missing.length > 0 && canInstall) await install(missing.flatMap(({ packages }) => packages))
  return tools.map((tool) => {
    const found = findCommand(tool.names, pathOf(tool))
    if (!found) throw new Error(advice)
    return found.file
  })
}
