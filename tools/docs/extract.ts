/** A block of code in a Markdown file. */
export type Example = {
  /** Its file and line. */
  readonly where: string
  readonly code: string
}

/** The blocks marked as `ts`, in order. */
export const extractExamples = (file: string, markdown: string): Example[] =>
  [...markdown.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ index, 1: code }) => ({
    where: `${file}:${markdown.slice(0, index).split('\n').length}`,
    code: code!,
  }))

/** The exports of the fixtures, which an example may use without importing them. */
export type Fixtures = { readonly names: readonly string[]; readonly from: string }

/** The names of the constants that a module exports. */
export const exportsOf = (source: string): string[] =>
  [...source.matchAll(/^export const (\w+)/gm)].map(([, name]) => name!)

const isUsed = (name: string, code: string): boolean => new RegExp(`\\b${name}\\b`).test(code)
const isDeclared = (name: string, code: string): boolean =>
  new RegExp(`(const|let|import) (\\{[^}]*\\b)?${name}\\b`).test(code)

/** Turns `value // => expected` into an assertion; the value may be a promise. */
const withAssertions = (code: string): string =>
  code.replace(/^( *)(\w.*?) +\/\/ => (.+)$/gm, '$1assert.deepEqual(await ($2), $3 as unknown)')

/**
 * Turns an example into a module that imports the fixtures it uses, checks its `// =>` comments, and
 * imports the package from its sources.
 */
export const toModule = ({ where, code }: Example, { names, from }: Fixtures): string => {
  const needed = names.filter((name) => isUsed(name, code) && !isDeclared(name, code))
  const source = code.replace(
    /from 'edge-redlock(\/\w+)?'/g,
    (_, entry: string | undefined) => `from '../src${entry ?? ''}/index.ts'`,
  )
  return [
    `// ${where}`,
    `import assert from 'node:assert/strict'`,
    needed.length > 0 ? `import { ${needed.join(', ')} } from '${from}'` : '',
    withAssertions(source),
    'export {}',
    'void assert',
    '',
  ].join('\n')
}
