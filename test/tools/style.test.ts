import { execaSync } from 'execa'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

// What a reader notices first: which words files use.

const root = resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(resolve(root, file), 'utf8')
const files = execaSync('git', ['ls-files'], { cwd: root }).stdout.split('\n')

/** Words that say less than others: coined ones, fillers, and turns of another language. */
const banned: Readonly<Record<string, RegExp>> = {
  'an outdated token': /\bborn stale\b/i,
  'even if, even with, or including when': /\balso (with|where)\b/i,
  forever: /\bfor ever\b/i,
  'if, in most cases': /\bin every case\b/i,
  'nobody waits for it any more': /\b(for|over) nobody\b/i,
  'the last answers': /\bhearsay\b/i,
  to: /\bin order to\b/i,
  use: /\butili[sz]e/i,
  'what it costs': /\bnext to nothing\b/i,
  'no word': /\b(simply|obviously|basically|actually|of course)\b/i,
  'for example': /\be\.g\./i,
  'that is': /\bi\.e\./i,
  'all slots are held': /\bfull house\b/i,
}

it('comments, errors and pages use none of the banned words', () => {
  const written = files.filter((file) =>
    /^(src|docs|examples)\/.*\.(ts|lua|md)$|^(.*\/)?[A-Z]+\.md$/.test(file),
  )
  const found = written.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, index) =>
        Object.entries(banned)
          .filter(([, pattern]) => pattern.test(line))
          .map(([better]) => `${file}:${index + 1}: better: ${better}: ${line.trim()}`),
      ),
  )
  expect(found).toEqual([])
})
