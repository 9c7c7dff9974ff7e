import type { CommandLine } from './execute.ts'

// Steps that several members of the families have in common.

/** Installs the dependencies of a folder, unless they are there. */
export const install = (folder: string, ...flags: string[]): CommandLine => [
  'node',
  'tools/release/install.ts',
  folder,
  ...flags,
]

/** The same, without the scripts of those packages. */
export const installQuietly = (folder: string): CommandLine => install(folder, '--ignore-scripts')

/** Compiles a folder that has dependencies of its own, so that the compiler of the root leaves it out. */
export const compile = (folder: string): CommandLine => ['tsc', '-p', folder]

/** Builds the package into dist. */
export const build: CommandLine = ['npm', 'run', '--silent', 'build']
