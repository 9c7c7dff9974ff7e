import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Case } from '../runtimes/case.ts'
import { core } from '../runtimes/core.ts'
import { entries } from '../runtimes/entries.ts'
import { actionCases } from './action.ts'
import { contention, holding } from './app/checks.ts'
import { crowdKinds, crowdSize } from './app/crowd.ts'
import { otherEntries } from './app/other-entries.ts'

const casesOf = (checks: object, isIdle = false): Case[] =>
  Object.keys(checks).map((name) => ({
    name,
    isIdle,
    run: async ({ app, key, noneLeft }) => {
      const response = await app.call(`/check/${encodeURIComponent(name)}/${key}`)
      equal(await response.text(), 'ok')
      await noneLeft()
    },
  }))

type Run = { readonly began: number; readonly ended: number; readonly run: string }

/** Requests for one lock while the first of them holds it. */
const crowdCases: readonly Case[] = crowdKinds.map((kind) => ({
  name: `${crowdSize} requests at once: ${kind}`,
  // Retries are limited, so cases with the default retries run alone on the machine.
  isIdle: kind.endsWith('wait'),
  run: async ({ app, key, noneLeft }) => {
    const path = `/crowd/${encodeURIComponent(kind)}/${key}`
    const init = { method: 'POST', headers: { 'idempotency-key': 'k' } }
    const answers = await Promise.all(
      Array.from({ length: crowdSize }, async () => {
        const response = await app.call(path, init)
        return { status: response.status, text: await response.text() }
      }),
    )
    const seen = answers.map(({ status, text }) => `${status} ${text}`).join('\n')
    deepEqual([...new Set(answers.map(({ status }) => status))], [201], seen)
    const runs = answers.map(({ text }) => JSON.parse(text) as Run)
    const isOneRun = kind.startsWith('withIdempotency')
    equal(new Set(runs.map(({ run }) => run)).size, isOneRun ? 1 : crowdSize, seen)
    const inOrder = runs.toSorted((a, b) => a.began - b.began)
    for (const [index, { began }] of inOrder.entries()) {
      ok(isOneRun || index === 0 || began >= inOrder[index - 1]!.ended, `overlap:\n${seen}`)
    }
    await noneLeft()
  },
}))

// `holding` shows the same with times that even a busy machine can keep.
const { 'using, extended and lost': _, ...library } = core

/** The requirements for a bundle, by group. */
export const groups: Readonly<Record<string, readonly Case[]>> = {
  'requests that wait': crowdCases,
  'a Server Action': actionCases,
  'a split vote': casesOf(contention),
  'a lock that is held': casesOf(holding, true),
  'the library': casesOf(library),
  'other entries of the package': casesOf({ ...entries, ...otherEntries }),
}
