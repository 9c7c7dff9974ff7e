import { randomUUID } from 'node:crypto'

/**
 * The response to one request of a burst. `retryAfter` is in seconds. `time` is in ms, from sending the request until
 * the whole response has arrived.
 */
export type Outcome = {
  readonly user: string
  readonly status: number
  readonly retryAfter: string
  readonly time: number
}

/** The number of requests in a burst. */
export const size = 10

const submit = async (url: string, user: string): Promise<Outcome> => {
  const start = performance.now()
  const response = await fetch(`${url}/assignments/7/submit`, {
    method: 'POST',
    headers: { 'x-user': user },
  })
  await response.text()
  const time = Math.round(performance.now() - start)
  const retryAfter = response.headers.get('retry-after') ?? ''
  return { user, status: response.status, retryAfter, time }
}

/** Sends one submit per user, all at the same moment. */
const burst = (url: string, users: readonly string[]): Promise<Outcome[]> =>
  Promise.all(users.map((user) => submit(url, user)))

const freshId = (): string => randomUUID().slice(0, 4)

/** Sends submits of new users, one after the other. */
export const submitsInTurn = async (url: string, count: number): Promise<Outcome[]> => {
  const outcomes: Outcome[] = []
  while (outcomes.length < count) outcomes.push(await submit(url, `user-${freshId()}`))
  return outcomes
}

/** Sends ten simultaneous submits of one new user. */
export const burstOfOneUser = (url: string): Promise<Outcome[]> => {
  const user = `user-${freshId()}`
  return burst(
    url,
    Array.from({ length: size }, () => user),
  )
}

/** Sends one submit for each of ten new users, all at the same moment. */
export const burstOfTenUsers = (url: string): Promise<Outcome[]> => {
  const id = freshId()
  return burst(
    url,
    Array.from({ length: size }, (_, user) => `user-${user}-${id}`),
  )
}

/** Counts the requests with this status. */
export const countOf = (outcomes: readonly Outcome[], wanted: number): number =>
  outcomes.filter(({ status }) => status === wanted).length

/** Whether one submit of the user was accepted, and all others were throttled. */
export const hasOneWinner = (outcomes: readonly Outcome[]): boolean =>
  countOf(outcomes, 202) === 1 && countOf(outcomes, 429) === size - 1

/** Whether every submit was accepted. */
export const areAllAccepted = (outcomes: readonly Outcome[]): boolean =>
  countOf(outcomes, 202) === size
