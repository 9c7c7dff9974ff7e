import type { CommandLine } from './execute.ts'

// Steps that several commands share.

/** Installs the dependencies of a folder, unless they are already installed. */
export const install = (folder: string, ...flags: string[]): CommandLine => [
  'node',
  'tools/release/install.ts',
  folder,
  ...flags,
]

/** Installs the dependencies of a folder without running their scripts. */
export const installQuietly = (folder: string): CommandLine => install(folder, '--ignore-scripts')

/** Compiles a folder that has separate dependencies, so that the root tsconfig excludes it. */
export const compile = (folder: string): CommandLine => ['tsc', '-p', folder]

/** Builds the package into dist. */
export const build: CommandLine = ['npm', 'run', '--silent', 'build']
