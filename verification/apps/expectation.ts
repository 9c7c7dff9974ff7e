import type { App, Kind } from './apps.ts'
import { type Answer, type Burst, duplicates } from './burst.ts'

/** The expected result of one burst. */
export type Expectation = {
  /** How often the handler performs its effect; left out if a lock only keeps runs apart. */
  readonly effects?: number
  /** How many responses of each status there are. */
  readonly statuses: Readonly<Record<number, number>>
}

/** How many responses of each status there are. */
export const statusesOf = (answers: readonly Answer[]): Record<number, number> => {
  const statuses: Record<number, number> = {}
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
  return statuses
}

/** The statuses in words: "19 × 201, 1 × 500". */
export const inWords = (statuses: Readonly<Record<number, number>>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${count} × ${status === '0' ? 'no response' : status}`)
    .join(', ')

const others = duplicates - 1

const all = (status: number): Expectation => ({ effects: 1, statuses: { [status]: duplicates } })

/** The expected result of a burst for each kind of handler. For a lock, it depends on the number of runs. */
const expectations: Readonly<Record<Kind, (app: App, runs: number) => Expectation>> = {
  return: ({ created }) => all(created),
  redirect: ({ redirect }) => all(redirect),
  // The first run throws before its effect, and one other request runs the handler again.
  throw: ({ created }) => ({ effects: 1, statuses: { [created]: others, 500: 1 } }),
  // The request that runs gets the framework's 500, and the others the recorded one.
  replay: () => all(500),
  stream: ({ streamed = 200 }) => all(streamed),
  exception: () => all(422),
  status: () => all(201),
  'response-redirect': () => all(303),
  page: ({ redirect }) => all(redirect),
  middleware: ({ redirect }) => all(redirect),
  form: () => all(303),
  orders: ({ created }) => all(created),
  checkout: ({ submitted = 303 }) => all(submitted),
  // Late requests may get the lock one after the other, as soon as it is free.
  lock: ({ created }, runs) => ({ statuses: { [created]: runs, 409: duplicates - runs } }),
  throttle: ({ created }) => ({ effects: 1, statuses: { [created]: 1, 429: others } }),
}

/** The expected result of one burst, given how often the handler ran. */
export const expectationOf = (app: App, kind: Kind, runs: number): Expectation =>
  expectations[kind](app, Math.max(1, runs))

const order = /[\da-f]{8}-[\da-f-]{27}/

/** Why the others do not get one recorded failure without the error's text; undefined if they do. */
const faultOfReplays = (answers: readonly Answer[]): string | undefined => {
  const replays = answers.filter(({ isReplay }) => isReplay)
  if (replays.length !== others) return `${replays.length} replays`
  const bodies = [...new Set(replays.map(({ type, body }) => `${type}: ${body}`))]
  if (bodies.length > 1) return `replays differ: ${bodies.join(', ')}`
  return order.test(bodies[0]!) ? `a replay tells the error: ${bodies[0]}` : undefined
}

/** Why a burst differs from the expectation; undefined if it does not. */
export const faultOf = (app: App, kind: Kind, burst: Burst): string | undefined => {
  const { answers, effects, overlaps } = burst
  const { effects: expected = effects, statuses } = expectationOf(app, kind, effects)
  if (overlaps > 0) return `${overlaps} runs overlap`
  const seen = inWords(statusesOf(answers))
  if (effects !== expected) return `${effects} effects, ${seen}`
  if (seen !== inWords(statuses)) return seen
  const isRejection = ({ status }: Answer): boolean => status === 409 || status === 429
  const bare = answers.find((one) => isRejection(one) && one.type !== 'application/problem+json')
  if (bare) return `a ${bare.status} with ${bare.type}: ${bare.body.slice(0, 80)}`
  if (kind === 'lock') return undefined
  if (kind === 'replay') return faultOfReplays(answers)
  const responses = answers.filter((one) => !isRejection(one) && one.status !== 500)
  // The handler of kind `return` has read the payload.
  if (kind === 'return' && !answers[0]!.body.includes('"item":1')) return 'the payload is lost'
  const orders = responses.map(({ location, body }) => order.exec(location ?? body)?.[0])
  // No client reads the body of a redirect, and h3's `sendRedirect` writes a page for old browsers.
  const isSame = new Set(responses.map(({ location, body }) => location ?? body)).size === 1
  return isSame && orders[0] ? undefined : `replays differ: ${[...new Set(orders)].join(', ')}`
}
