import { glob, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import {
  idempotentRejections,
  lockRejections,
  throttleRejections,
} from '../../src/requests/rejections.ts'
import { withLock, withThrottle } from '../../src/entries/fetch.ts'
import { Redlock, throttle } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { codes, problemType } from '../../src/util/codes.ts'
import {
  literalsOf,
  missingParts,
  quotedMessages,
  sectionCodes,
} from '../../tools/docs/messages.ts'

const literals: string[] = []
for await (const file of glob('src/**/*.ts'))
  literals.push(...literalsOf(await readFile(file, 'utf8')))
const page = await readFile('docs/reference/troubleshooting.md', 'utf8')

// Words of Redis, Cloudflare and Node, which are in no message of this package.
const ofOthers = new Set([
  'The RPC receiver does not implement …',
  'WRONGPASS',
  'WRONGTYPE',
  'HTTP 401',
  'OOM',
  'NOPERM',
  'READONLY',
  'CROSSSLOT',
  'allow-key-locking',
  'fetch failed',
  'ENOTFOUND',
  'ECONNREFUSED',
])

it('each code has one section, in order, and nothing else has one', () => {
  expect(sectionCodes(page)).toEqual(Object.keys(codes))
})

it('each code that the page links is in the list', () => {
  const linked = [...page.matchAll(/ERL\d\d/g)].map(([code]) => code)
  expect([...new Set(linked)].sort()).toEqual(Object.keys(codes))
})

it('every message that the troubleshooting page quotes exists in the sources', () => {
  const quoted = quotedMessages(page).filter((message) => !ofOthers.has(message))
  expect(quoted.length).toBeGreaterThan(25)
  const missing = quoted.flatMap((message) =>
    missingParts(message, literals).map((part) => `${part} (of ${message})`),
  )
  expect(missing).toEqual([])
})

it('the page quotes what users are sent', async () => {
  const redlock = new Redlock({ nodes: memoryNodes(3) })
  const reject = async (): Promise<Response> => new Response('down', { status: 500 })
  const node = { url: 'https://redis.example.com', token: 't', fetch: reject }
  const down = new Redlock({ nodes: [node], warnings: false })
  const answer = (): Response => new Response('done')
  await using held = await redlock.acquire('k')
  await throttle(redlock, 'k', { window: 60_000 })
  const rejections = [
    withLock({ redlock, key: 'k' }, answer),
    withThrottle({ redlock, key: 'k', window: 60_000 }, answer),
    withLock({ redlock: down, key: 'k' }, answer),
  ]
  const titles = await Promise.all(
    rejections.map(async (handle) => {
      const response = await handle(new Request('https://example.com'))
      const { status, title } = (await response.json()) as Record<string, string>
      return `${status} ${title}`
    }),
  )
  expect(titles).toEqual(['409 Conflict', '429 Too Many Requests', '503 Service Unavailable'])
  expect(held.held).toBe(true)
  for (const title of titles) expect(page).toContain(`| ${title} |`)
})

it.each([
  ['middleware', { ...lockRejections, ...throttleRejections }],
  ['idempotent', idempotentRejections],
])('docs/features/%s.md quotes rejections as they are sent', async (name, rejections) => {
  const feature = await readFile(`docs/features/${name}.md`, 'utf8')
  const [, statuses = ''] = feature.split('| status | `reason` |\n')
  for (const [reason, [status, title, detail, code]] of Object.entries(rejections)) {
    expect(statuses).toMatch(new RegExp(`\\| ${status}[^|]*\\| [^|]*\`${reason}\``))
    const shown = [...feature.matchAll(/^\{.*"reason":"(.*)"\}$/gm)].find(
      ([, one]) => one === reason,
    )
    const type = problemType(code)
    if (shown) expect(JSON.parse(shown[0])).toEqual({ type, status, title, detail, reason })
  }
})

it('a message that does not exist is noticed', () => {
  expect(missingParts('The lock on … is held by nobody …', literals)).toEqual(['is held by nobody'])
  expect(missingParts('The lock on … is held by …; it can be free after … ms', literals)).toEqual(
    [],
  )
})
