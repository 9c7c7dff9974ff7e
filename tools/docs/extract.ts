/** A block of code in a Markdown file. */
export type Example = {
  /** The file and line of the block. */
  readonly where: string
  readonly code: string
  /** The module that the block contains, if it has a label such as `[cron.ts]`. */
  readonly module?: PageModule | undefined
}

/** A block with a label, which is a separate file: other blocks of its page can import it by that name. */
export type PageModule = { readonly page: string; readonly name: string }

/** Extracts the blocks that are marked as `ts`, in order. */
export const extractExamples = (file: string, markdown: string): Example[] =>
  [...markdown.matchAll(/^```ts(?: \[([\w.-]+\.ts)\])?\n(.*?)^```$/gms)].map(
    ({ index, 1: name, 2: code }) => ({
      where: `${file}:${markdown.slice(0, index).split('\n').length}`,
      code: code!,
      module: name === undefined ? undefined : { page: pageOf(file), name },
    }),
  )

const pageOf = (file: string): string => file.replace(/\.md$/, '').replaceAll('/', '-')

/** The file name of a page's module in the folder with all examples. */
export const fileOf = ({ page, name }: PageModule): string => `${page}.${name}`

/**
 * Returns the modules that would never run, because no other block of their page imports them, and no test names their
 * page and file.
 */
export const unusedModules = (
  examples: readonly Example[],
  tests: readonly string[] = [],
): Example[] =>
  examples.filter(({ where, module }) => {
    if (!module) return false
    const [page] = where.split(':')
    const imported = new RegExp(`'\\./${module.name.replace('.ts', '')}(.ts)?'`)
    const isImported = examples.some(
      (other) =>
        other.where !== where && other.where.split(':')[0] === page && imported.test(other.code),
    )
    return (
      !isImported &&
      !tests.some((test) => test.includes(`'${page}'`) && test.includes(`'${module.name}'`))
    )
  })

/** The exports of the fixtures, which examples can use without importing them. */
export type Fixtures = { readonly names: readonly string[]; readonly from: string }

/** The names of the constants that a module exports. */
export const exportsOf = (source: string): string[] =>
  [...source.matchAll(/^export const (\w+)/gm)].map(([, name]) => name!)

const isUsed = (name: string, code: string): boolean => new RegExp(`\\b${name}\\b`).test(code)
const isDeclared = (name: string, code: string): boolean =>
  new RegExp(`(const|let|import) (\\{[^}]*\\b)?${name}\\b`).test(code)

/** Converts `value // => expected` to an assertion. The value can be a promise. */
const withAssertions = (code: string): string =>
  code.replace(
    /^( *);?([\w(].*?) +\/\/ => (.+)$/gm,
    '$1assert.deepEqual(await ($2), $3 as unknown)',
  )

/** Replaces imports of the package with imports of its sources. */
const withSources = (code: string): string =>
  code
    .replace(
      /from 'edge-redlock(?:\/([\w-]+))?'/g,
      (_, entry: string | undefined) => `from '../src/${entry ? `entries/${entry}` : 'index'}.ts'`,
    )
    .replace(/from 'next\/(headers|navigation)'/g, "from '../tools/docs/next-$1.ts'")

/** Renames imports of the page's modules to their names in the folder with all examples. */
const withPageModules = (code: string, where: string): string =>
  code.replace(
    /(?<=')\.\/([\w-]+)(?:\.ts)?(?=')/g,
    (_, name: string) => `./${fileOf({ page: pageOf(where.split(':')[0]!), name: `${name}.ts` })}`,
  )

/**
 * Converts an example to a module that imports the fixtures it uses, checks its `// =>` comments, and imports the
 * package from its sources. A block with a label must be complete, so no fixtures are added to it.
 */
export const toModule = ({ where, code, module }: Example, { names, from }: Fixtures): string => {
  const needed = module ? [] : names.filter((name) => isUsed(name, code) && !isDeclared(name, code))
  const source = withPageModules(withSources(code), where)
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
