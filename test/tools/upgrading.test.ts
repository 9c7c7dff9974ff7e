import { readFile } from 'node:fs/promises'
import { execa } from 'execa'
import { expect, it } from 'vitest'

// The codemods of docs/guides/migrate.md turn code of 0.1.0 into the code of now.

const page = await readFile('docs/guides/migrate.md', 'utf8')
const codemods = [...page.matchAll(/^rename '(.+)'$/gm)].map(([, change]) => change!)

const perl = async (changes: readonly string[], code: string): Promise<string> =>
  (await execa('perl', ['-p', '-e', changes.join(';')], { input: code })).stdout

const cases: readonly (readonly [before: string, now: string])[] = [
  ['singleFlight: true', 'localQueue: true'],
  ['keepIf: (c) => c.res.ok', 'countIf: (response) => response.ok'],
  ['keepIf: (_request, _env, _ctx, { ok }) => ok', 'countIf: ({ ok }) => ok'],
  ['onRefused: (c, refusal) => answer(refusal)', 'onRefused: (refusal, c) => answer(refusal)'],
  ['record: (response) => response.ok', 'shouldRecord: (response) => response.ok'],
  [`reason === 'other-payload'`, `reason === 'payload-mismatch'`],
  [`reason === 'large-payload'`, `reason === 'payload-too-large'`],
  [`reason === 'bad-key'`, `reason === 'invalid-key'`],
  [`reason === 'not-kept'`, `reason === 'answer-not-stored'`],
  [`reason === 'not-recorded'`, `reason === 'answer-not-recorded'`],
  [`lock<AppEnv, '/grade/:id'>({ redlock, key })`, 'lock<AppEnv>({ redlock, key })'],
  ['await lock.fence()', 'await lock.fencingToken()'],
  ['await lock.ttl()', 'await ttlOf(lock)'],
  ['result.lock.toJSON()', 'serialize(result.lock)'],
  ['JSON.stringify(lock)', 'JSON.stringify(serialize(lock))'],
  ['metricName: ([key]) => key', 'lockName: ([key]) => key'],
  ['type RecordStore', 'type BodyStore'],
  [`import { withSlots } from 'edge-redlock/slots'`, `import { withSlots } from 'edge-redlock'`],
  [
    `import { withWakeUp } from 'edge-redlock/wake-up'`,
    `import { withWakeUp } from 'edge-redlock'`,
  ],
  [
    `import { withTracing } from 'edge-redlock/tracing'`,
    `import { withTracing } from 'edge-redlock'`,
  ],
  ['await redlock.inspect(key)', 'await inspect(redlock, key)'],
  ['redlock.adopt(json)', 'adopt(redlock, json)'],
  ['redlock.check()', 'check(redlock)'],
  ['await redlock.throttle(key, options)', 'await throttle(redlock, key, options)'],
  ['(c) => Redlock.fromEnv(c.env)', '(c) => fromEnv(c.env)'],
  ['{ url, token, volatile: true }', '{ url, token, volatile: quarantine() }'],
  ['retry: { minDelay: 50 }', 'retry: { delay: 50 }'],
  ['retry: (attempt) => 50 * attempt', 'retry: ({ attempt }) => 50 * attempt'],
  ['retry: (attempt, { reason }) => 50', 'retry: ({ attempt, reason }) => 50'],
  ['retry: noRetry', 'retry: { attempts: 1 }'],
  ['retry: fixedDelay(100)', 'retry: () => 100'],
]

it.each(cases)('the codemods change %s', async (before, now) => {
  expect(await perl(codemods, before)).toBe(now)
  expect(await perl(codemods, now)).toBe(now)
})

it.each(codemods)('%s changes some code', async (codemod) => {
  const code = cases.map(([before]) => before).join('\n')
  expect(await perl([codemod], code)).not.toBe(code)
})

it('they leave other names alone', async () => {
  const code = "c.var.fence; import 'edge-redlock/testing'; import 'edge-redlock/hono'"
  expect(await perl(codemods, code)).toBe(code)
})
