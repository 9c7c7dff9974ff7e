import Table from 'cli-table3'
import { median } from 'simple-statistics'
import { countOf, type Outcome, size } from './burst.ts'

const meanings: Readonly<Record<number, string>> = {
  202: '202 accepted',
  429: '429 too many requests',
  503: '503 no majority of the nodes answered in time',
}

/** Formats the responses to a burst, in the order in which the client received them. */
export const table = (outcomes: readonly Outcome[]): string => {
  const rows = new Table({
    head: ['user', 'answer', 'Retry-After', 'ms'],
    colAligns: ['left', 'left', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  })
  for (const { user, status, retryAfter, time } of outcomes.toSorted((a, b) => a.time - b.time))
    rows.push([user, meanings[status] ?? status, retryAfter && `${retryAfter} s`, time])
  return rows.toString()
}

/** Describes the responses with any other status; empty if there are none. */
const shortfall = (outcomes: readonly Outcome[]): string => {
  const others = outcomes.filter(({ status }) => status !== 202 && status !== 429)
  const statuses = [...new Set(others.map(({ status }) => status))]
  return statuses
    .map((status) => ` ${countOf(others, status)} got ${meanings[status] ?? status}.`)
    .join('')
}

/** Summarizes the run, one line per result. `single` contains the bursts of one user. */
export const summary = (
  single: readonly (readonly Outcome[])[],
  several: readonly Outcome[],
  exact: number,
): string[] => [
  single.length === 1
    ? `One user:  ${countOf(single[0]!, 202)} of ${size} submits accepted, ${countOf(single[0]!, 429)} rejected.${shortfall(single[0]!)}`
    : `One user:  exactly 1 of ${size} submits accepted, and the others rejected, in ${exact} of ${single.length} bursts.${shortfall(single.flat())}`,
  `Ten users: ${countOf(several, 202)} of ${size} submits accepted.${shortfall(several)}`,
]

/** The median time of a submit without competition. */
export const timeAlone = (outcomes: readonly Outcome[]): number =>
  Math.round(median(outcomes.map(({ time }) => time)))

/** Explains the times. */
export const aboutTimes = (alone: readonly Outcome[], warmUps: number): string =>
  `ms is what the client measures, from sending the request to the end of the answer. A submit that is sent
alone takes ${timeAlone(alone)} ms (median of ${alone.length}); the ${size} of a burst share the processors of this machine. Before the
first measurement, ${warmUps} bursts warmed up the Worker. Client, Worker and nodes are on this machine, so
these times contain no network: in production, add the round trips to the nodes.`

/** Suggests what to try while the Worker is running. */
export const instructions = (
  url: string,
): string => `Open ${url} in a browser, double-click Hand in, and stop nodes while you do. Or:
  curl -X POST ${url}/assignments/7/hand-in -H 'x-user: ada' -H 'idempotency-key: 1'   # again: the same receipt
  curl -i -X POST ${url}/assignments/7/submit -H 'x-user: ada'     # 202; again within 5 s: 429
  curl -i -X POST ${url}/assignments/7/grade & \\
  curl -i -X POST ${url}/assignments/7/grade                       # 409 while the other one runs
The documentation: npm run docs -- serve
Press Ctrl-C to stop the Worker and the nodes.`

/** Suggests the same for the Worker whose nodes are Durable Objects. */
export const objectInstructions = (url: string): string => `Send requests of your own:
  curl -i -X POST ${url}/assignments/7/submit -H 'x-user: ada'     # 202; again within 5 s: 429
  curl -i -X POST ${url}/reports/7 & \\
  curl -i -X POST ${url}/reports/7                                 # 409 while the other one runs
Press Ctrl-C to stop the Worker and its objects.`
