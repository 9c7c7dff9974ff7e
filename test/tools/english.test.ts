import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { passagesOf } from '../../tools/docs/code.ts'
import { figuresOf, findingsOf, isNegative } from '../../tools/docs/english.ts'
import { texts } from '../../tools/docs/pages.ts'
import { sources } from '../../tools/docs/sources.ts'

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
    ['a node that speaks', 'The nodes tell who has it.', 'a node "holds"'],
    ['"where" for "if" after a value', 'The holder, or undefined where there is none.', '"if"'],
    ['a clause as the subject', 'What a node sends is checked.', 'a noun instead of "What'],
    ['"whoever"', 'Ask whoever holds the lock.', 'instead of "whoever"'],
    ['"such a"', 'Such a node is asked last.', 'a noun instead of "such a"'],
    ['"that of"', 'That of the first node.', 'a noun instead of "that of"'],
    ['a chain of "of"', 'The end of the life of the lock of a key.', 'at most two "of"'],
    ['"of nobody"', 'A lease of nobody.', '"unused"'],
    ['"is to"', 'The counter that nodes are to reach.', '"should"'],
    ['"Expected ... to be"', 'Expected `ttl` to be an integer, got text', '"`x` must be'],
    ['"comes to"', 'The URL may come to lead elsewhere.', '"now" or "later"'],
    ['"stands still"', 'The process stands still.', '"pauses"'],
    ['"is no"', 'A late reply is no error.', '"is not a"'],
    ['"its time is over"', 'Its time is over.', '"expired"'],
    ['"for ever"', 'It stays for ever.', '"forever"'],
    ['"the word of"', 'The last word of a quorum counts.', '"the answer of"'],
  ])('finds %s', (_, text, rule) => {
    expect(rulesOf(text)).toEqual([expect.stringContaining(rule)])
  })

  it.each([
    ['code', '```ts\nrefused // where ttl\n```\n\nThe option `ttl` and the file `refused.ts`.'],
    ['a place', 'Run it in the folder where the file is.'],
    ['a place after a comma', 'It is only on the site, where its links are checked.'],
    ['a place as a description', 'Where the server listens.'],
    ['"there is no"', 'There is no lock, and it is no longer needed.'],
    ['a question', 'What should a duplicate get?'],
    ['a heading', 'What it costs'],
    ['an error of the system', 'The connection was refused, since apt-get refuses to run twice.'],
    ['a record of an event', 'The records of a client and the answers that it wants.'],
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

const rulesOfCode = (file: string, code: string): string[] =>
  passagesOf(file, code).flatMap(({ text }) => rulesOf(text))

describe('the check of the English of code', () => {
  it.each([
    ['a line comment', 'a.ts', "f('x') // The ttl is short."],
    ['a sentence over several lines', 'a.ts', '// The locks of a\n// ttl are short.\nf()'],
    ['JSDoc', 'a.ts', '/**\n * Runs it.\n *\n * @param n - The ttl is in ms.\n */'],
    ['a comment after a regular expression', 'a.ts', 'const a = /\'"/ // The ttl is short.'],
    ['a comment inside a template', 'a.ts', 'const a = `${b /* The ttl is short. */}`'],
    ['an error', 'a.ts', "throw new TypeError('The ttl is too short')"],
    ['a template in an error', 'a.ts', 'throw new Error(`The ttl of ${key} is too short`)'],
    ['a description', 'a.ts', "run({ description: 'prints the ttl of a lock' })"],
    ['an option', 'a.ts', "new Option('--x', 'the ttl of each lock')"],
    ['the reason of a directive', 'a.ts', '// oxlint-disable-next-line x -- the ttl is short'],
    ['Lua', 'a.lua', "redis.call('--') -- The ttl is short."],
    ['Promela', 'a.pml', '/* The ttl\n   is short. */'],
    ['SQL', 'a.sql', "select '--'; -- The ttl is short."],
  ])('finds %s', (_, file, code) => {
    expect(rulesOfCode(file, code)).toEqual([expect.stringContaining('"TTL"')])
  })

  it.each([
    ['an example', '/**\n * Runs it.\n *\n * @example\n * ```ts\n * f(the ttl)\n * ```\n */'],
    ['code', '// The option `ttl` and {@link ttl}, see https://example.com/ttl'],
    ['a drawing', '// a   ttl   url\n// ----> ttl\n'],
    ['a directive', '// @ts-expect-error\n// oxlint-disable-next-line ttl'],
    ['other text', "const a = 'where the ttl is short'"],
    ['a function inside a call', "new Error(f(() => { g('the ttl is very short') }))"],
  ])('accepts %s', (_, code) => {
    expect(rulesOfCode('a.ts', code)).toEqual([])
  })

  it('names the line', () => {
    expect(passagesOf('a.ts', 'f()\n\n// Runs it.\n').map(({ line }) => line)).toEqual([3])
  })
})

const codeFiles = await sources()
const findingsOfCode = async (file: string): Promise<string[]> =>
  passagesOf(file, await readFile(file, 'utf8')).flatMap(({ line, text }) =>
    findingsOf(text).map((finding) => `${file}:${line}: ${finding.rule}: ${finding.text}`),
  )

it('comments and messages read well', async () => {
  const found = await Promise.all(codeFiles.map(findingsOfCode))
  expect(found.flat()).toEqual([])
})

const files = await texts()
const contents = await Promise.all(files.map((file) => readFile(file, 'utf8')))

it.each(files.map((file, index) => [file, contents[index]!]))('%s reads well', (_, text) => {
  expect(findingsOf(text)).toEqual([])
  expect(isNegative(text)).toBe(false)
})
