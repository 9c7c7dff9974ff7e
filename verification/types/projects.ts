import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** A failed step, and its output. */
export type Failure = { readonly name: string; readonly output: string }

type Command = readonly [string, ...string[]]

/** A TypeScript configuration that not every version supports. */
type Config = {
  readonly file: string
  readonly isFor?: (version: number) => boolean
  /** The message of the compiler if the project cannot be compiled with it. */
  readonly says?: string
}

/** A program that runs in a project. */
type Run = {
  readonly name: string
  readonly command: Command
  readonly env?: Readonly<Record<string, string>>
  /** The message of the compiler or of the run, if it has to fail. */
  readonly says?: string
}

/** A small project as a user would have it, in `projects/`. */
type Project = {
  readonly name: string
  /** Writes the types that the project needs. */
  readonly prepare?: Command
  /** Builds it with its framework, which checks additional types. */
  readonly builds?: Command
  /** Whether it is compiled in a folder that contains only this package. */
  readonly isAlone?: true
  /** Whether each of its calls is wrong, so that the compiler must name the option. */
  readonly isWrong?: true
  /** Its TypeScript configurations. */
  readonly configs: readonly (string | Config)[]
  readonly runs?: readonly Run[]
}

/** Runs Jest with one of the configurations of the CommonJS project. */
const jest = (version: '29' | '30', config: string): Command => {
  const name = version === '30' ? 'jest' : 'jest-29'
  return ['node', `node_modules/${name}/bin/jest.js`, '--config', `jest.${config}.cjs`]
}

// Jest has its own module loader. With this flag, the loader of Jest 30 can `require` ES modules on Node 24.9 or
// later.
const withModules = { NODE_OPTIONS: '--experimental-vm-modules' }

const commonJs: Project = {
  name: 'commonjs',
  prepare: ['node', '../../../../tools/release/install.ts', '.', '--ignore-scripts'],
  configs: [
    { file: 'tsconfig.node10.json', isFor: (version) => version < 6 },
    { file: 'tsconfig.node10-ts6.json', isFor: (version) => version >= 6 && version < 7 },
    { file: 'tsconfig.node16.json', says: 'error TS1479' },
    { file: 'tsconfig.nodenext.json', isFor: (version) => version >= 5.8 },
  ],
  runs: [
    { name: 'require() on Node', command: ['node', 'run.cjs'] },
    {
      name: 'Jest 30, defaults',
      command: jest('30', 'defaults'),
      says: 'Must use import to load ES Module',
    },
    {
      name: 'Jest 29, defaults',
      command: jest('29', 'defaults'),
      says: "Unexpected token 'export'",
    },
    { name: 'Jest 30, ES modules', command: jest('30', 'defaults'), env: withModules },
    { name: 'Jest 30 and ts-jest, ES modules', command: jest('30', 'preset'), env: withModules },
    ...(['29', '30'] as const).flatMap((version) => [
      { name: `Jest ${version}, transformed by Babel`, command: jest(version, 'babel') },
      { name: `Jest ${version}, transformed by ts-jest`, command: jest(version, 'ts-jest') },
    ]),
  ],
}

export const projects: readonly Project[] = [
  {
    // The configuration comes from create-cloudflare.
    name: 'cloudflare',
    prepare: ['wrangler', 'types'],
    configs: ['tsconfig.json', 'tsconfig.hono-4.6.json'],
  },
  { name: 'node', configs: ['tsconfig.json'] },
  { name: 'servers', configs: ['tsconfig.json'] },
  commonJs,
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
