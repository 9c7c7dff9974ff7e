import { describe, expect, it } from 'vitest'
import { exportsOf, extractExamples, toModule, unusedModules } from '../../tools/docs/extract.ts'

describe('the examples of a Markdown file', () => {
  it('are the blocks of TypeScript, with the line they begin on', () => {
    const markdown = '# T\n\n```ts\none()\n```\n\n```sh\nls\n```\n```ts\ntwo()\nthree()\n```\n'
    expect(extractExamples('README.md', markdown)).toEqual([
      { where: 'README.md:3', code: 'one()\n' },
      { where: 'README.md:10', code: 'two()\nthree()\n' },
    ])
  })

  it('become modules that import the fixtures they use and check their `// =>` comments', () => {
    const code = [
      `import { lockKey } from 'edge-redlock'`,
      `import { lock } from 'edge-redlock/hono'`,
      'const { ok } = redlock',
      'ok // => true',
      '  lock.extend(nodes) // => { a: 1 }',
      ';(await nodes()).size // => 2',
      '// a remark // => 5',
      '',
    ].join('\n')
    const names = exportsOf(
      'export const redlock = 1\nexport const nodes = 2\nexport const lock = 3',
    )
    const source = toModule({ where: 'README.md:3', code }, { names, from: './fixtures.ts' })
    expect(source.split('\n')).toEqual([
      '// README.md:3',
      `import assert from 'node:assert/strict'`,
      `import { redlock, nodes } from './fixtures.ts'`,
      `import { lockKey } from '../src/index.ts'`,
      `import { lock } from '../src/entries/hono.ts'`,
      'const { ok } = redlock',
      'assert.deepEqual(await (ok), true as unknown)',
      '  assert.deepEqual(await (lock.extend(nodes)), { a: 1 } as unknown)',
      'assert.deepEqual(await ((await nodes()).size), 2 as unknown)',
      '// a remark // => 5',
      '',
      'export {}',
      'void assert',
      '',
    ])
  })

  it('are files of their page where they have a label, without fixtures, and other blocks import them', () => {
    const markdown = [
      '```ts [job.ts]',
      'export const job = () => redlock',
      '```',
      '```ts',
      "import { job } from './job.ts'",
      '```',
      '```ts [unused.ts]',
      'export const nothing = 1',
      '```',
      '',
    ].join('\n')
    const examples = extractExamples('docs/recipes/cron.md', markdown)
    const [job, importing] = examples.map((example) =>
      toModule(example, { names: ['redlock'], from: './fixtures.ts' }),
    )
    expect(job).not.toContain('fixtures')
    expect(importing).toContain("import { job } from './docs-recipes-cron.job.ts'")
    expect(unusedModules(examples).map(({ where }) => where)).toEqual(['docs/recipes/cron.md:7'])
    // A test may read it instead.
    const test = "importFrom('docs/recipes/cron.md', 'unused.ts')"
    expect(unusedModules(examples, [test])).toEqual([])
    expect(unusedModules(examples, [test.replace('cron', 'other')])).toHaveLength(1)
    // A page does not see the files of another one.
    const other = extractExamples('docs/other.md', "```ts\nimport './unused.ts'\n```\n")
    expect(unusedModules([...examples, ...other])).toHaveLength(1)
  })
})
