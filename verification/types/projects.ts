import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** A step that failed, and what it printed. */
export type Failure = { readonly name: string; readonly output: string }

type Command = readonly [string, ...string[]]

/** A small project as a user would have it, in `projects/`. */
type Project = {
  readonly name: string
  /** Writes the types that the project needs. */
  readonly prepare?: Command
  /** Builds it with its framework, which checks types of its own. */
  readonly builds?: Command
  /** Whether it is compiled in a folder with no other package than this one. */
  readonly isAlone?: true
  /** Whether each of its calls is wrong, so that the compiler has to name the option. */
  readonly isWrong?: true
  /** Its configurations of TypeScript. */
  readonly configs: readonly string[]
}

export const projects: readonly Project[] = [
  {
    // The configuration is that of create-cloudflare.
    name: 'cloudflare',
    prepare: ['wrangler', 'types'],
    configs: ['tsconfig.json', 'tsconfig.hono-4.6.json'],
  },
  { name: 'node', configs: ['tsconfig.json'] },
  { name: 'servers', configs: ['tsconfig.json'] },
  { name: 'wrong', isWrong: true, configs: ['tsconfig.json'] },
  { name: 'without-hono', isAlone: true, configs: ['tsconfig.json'] },
  {
    name: 'next',
    builds: ['node', '../../node_modules/next/dist/bin/next', 'build'],
    configs: ['tsconfig.json'],
  },
]

/** The versions of TypeScript, from the oldest that is supported to the newest. */
export const compilers = [
  'verification/types/node_modules/typescript-5.7',
  'verification/types/node_modules/typescript-5.9',
  'verification/types/node_modules/typescript',
  'node_modules/typescript',
].map((path) => {
  const folder = resolve(import.meta.dirname, '../..', path)
  const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as {
    version: string
  }
  return { version, tsc: `${folder}/bin/tsc` }
})
