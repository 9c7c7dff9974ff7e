import { accessSync, constants, existsSync, globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'

/** A command that npm cannot install, under any of these names, and its Debian packages. */
export type Tool = {
  readonly names: readonly string[]
  readonly packages: readonly string[]
  /** Patterns of the folders that contain it, if the package installs it outside PATH. */
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

/** The first of these commands that is on PATH: its name and its file. */
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

// Concurrent commands install one after the other: apt-get refuses to run twice.
const aptGet = [join(tmpdir(), 'edge-redlock-install.lock'), 'apt-get'] as const

const install = async (packages: readonly string[]): Promise<void> => {
  const listed = packages.length > 1 ? 'packages' : 'package'
  console.error(`Installing the Debian ${listed} ${packages.join(', ')} with apt-get.`)
  // To stderr, because the calling command may print JSON on standard output.
  const options = { stdio: ['ignore', 2, 2], env: { DEBIAN_FRONTEND: 'noninteractive' } } as const
  await execa('flock', [...aptGet, 'update', '-qq'], options)
  const flags = ['install', '-y', '-qq', '--no-install-recommends']
  await execa('flock', [...aptGet, ...flags, ...packages], options)
}

/**
 * The files of the tools, in the given order. As root on Debian, it first installs missing ones, unless
 * EDGE_REDLOCK_INSTALL=never.
 *
 * @throws with instructions if one is missing.
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
