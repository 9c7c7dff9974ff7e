import { glob, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { literalsOf, missingParts, quotedMessages } from '../../tools/docs/messages.ts'

const literals: string[] = []
for await (const file of glob('src/**/*.ts'))
  literals.push(...literalsOf(await readFile(file, 'utf8')))
const page = await readFile('docs/troubleshooting.md', 'utf8')

// Words of Redis, which are in no message of this package.
const ofRedis = new Set(['NOSCRIPT', 'OOM', 'NOPERM'])

it('every message that the troubleshooting page quotes exists in the sources', () => {
  const quoted = quotedMessages(page).filter((message) => !ofRedis.has(message))
  expect(quoted.length).toBeGreaterThan(25)
  const missing = quoted.flatMap((message) =>
    missingParts(message, literals).map((part) => `${part} (of ${message})`),
  )
  expect(missing).toEqual([])
})

it('the page quotes what users are sent', async () => {
  const { problem } = await import('../../src/http/problem-details.ts')
  for (const kind of ['lock', 'throttle', 'unavailable'] as const) {
    const { status, title } = (await problem(kind, 1, null).json()) as Record<string, string>
    expect(page).toContain(`### ${status} ${title}`)
  }
})

it('a message that does not exist is noticed', () => {
  expect(missingParts('The lock on … is held by nobody …', literals)).toEqual(['is held by nobody'])
  expect(missingParts('The lock on … is held by …; it can be free after … ms', literals)).toEqual(
    [],
  )
})
