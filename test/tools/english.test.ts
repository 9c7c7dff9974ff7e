import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { figuresOf, findingsOf, isNegative } from '../../tools/docs/english.ts'
import { texts } from '../../tools/docs/pages.ts'

const rulesOf = (markdown: string): string[] => findingsOf(markdown).map(({ rule }) => rule)
const long = Array.from({ length: 26 }, () => 'word').join(' ')

describe('the check of the English', () => {
  it.each([
    ['a long sentence', `${long}.`, 'at most 25 words, here 26'],
    ['a page that speaks', '[Options](options.md) lists all of them.', 'a page never says'],
    ['"where" for "if"', 'Where a node fails, the others answer.', '"if" or "when"'],
    ['a word of ours', 'A rival has the lock.', 'a word that the reader knows'],
    ['"refused"', 'The request is refused.', '"reject"'],
    ['a British word', 'The behaviour is the same.', 'American'],
    ['a variable as a word', 'The ttl is 10 s.', '"TTL"'],
  ])('finds %s', (_, text, rule) => {
    expect(rulesOf(text)).toEqual([expect.stringContaining(rule)])
  })

  it.each([
    ['code', '```ts\nrefused // where ttl\n```\n\nThe option `ttl` and the file `refused.ts`.'],
    ['a place', 'Run it in the folder where the file is.'],
    ['two sentences', `${long.slice(0, 60)}. \`lock\` is another one, and ${long.slice(0, 60)}.`],
  ])('accepts %s', (_, text) => {
    expect(rulesOf(text)).toEqual([])
  })

  it('counts the words with code, and the negations of the prose', () => {
    const text = 'It is not here.\n\n```ts\nnever()\n```\n'
    expect(figuresOf(text)).toMatchObject({ negations: 1, prose: 4 })
    expect(figuresOf(text).words).toBeGreaterThan(5)
  })
})

const files = await texts()
const contents = await Promise.all(files.map((file) => readFile(file, 'utf8')))

it.each(files.map((file, index) => [file, contents[index]!]))('%s reads well', (_, text) => {
  expect(findingsOf(text)).toEqual([])
  expect(isNegative(text)).toBe(false)
})
