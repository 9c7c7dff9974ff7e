import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'
import type { Name, Results, Saved } from './results.ts'

type All = { readonly [name in Name]: Saved<name> }

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

const figure = (value: number | undefined, digits = 2): string =>
  value === undefined ? '-' : Number.isInteger(value) ? `${value}` : value.toFixed(digits)

type TargetRow = readonly [what: string, value: string, target: string, verdict: string]

const verdict = (isMet: boolean): string => (isMet ? 'met' : '**missed**')

/** Every target, with the measured value. */
const targetRows = ({ latency, contention, cpu, requests }: All): TargetRow[] => [
  ...latency.result.results
    .filter(({ most }) => most !== undefined)
    .map(({ weather, ratio, most, isMet }): TargetRow => [
      `acquire p50 over the theoretical minimum, ${weather}`,
      figure(ratio, 3),
      `<= ${most}`,
      verdict(isMet),
    ]),
  ...contention.result.bars.map(({ about, contestant, size, value, most, isMet }): TargetRow => [
    `${about}, ${size} clients (${contestant})`,
    figure(value),
    `<= ${most}`,
    verdict(isMet),
  ]),
  ...cpu.result.ratios
    .filter(({ least }) => least !== undefined)
    .map(({ match, fastest, ratio, least, isMet }): TargetRow => [
      `cycles per second over ${match}, against ${fastest}`,
      figure(ratio),
      `>= ${least}`,
      verdict(isMet),
    ]),
  ...requests.result.results
    .filter(({ contestant }) => [edgeRedlock.name, edgeRedlockFrugal.name].includes(contestant))
    .map(({ contestant, nodes, costs }): TargetRow => [
      `requests for a repeated throttle rejection, ${nodes} nodes (${contestant})`,
      figure(costs['rejected again']),
      '0',
      verdict(costs['rejected again'] === 0),
    ]),
]

const latencyTable = ({ results }: Results['latency']): string =>
  table(
    ['', '', 'p50 ms', 'p99 ms', 'minimum ms', 'p50 / minimum', 'no answer'],
    results.map(({ weather, contestant, p50, p99, minimum, ratio, unanswered }) => [
      weather,
      contestant,
      ...[p50, p99, minimum].map((value) => figure(value, 1)),
      figure(ratio),
      unanswered || '',
    ]),
  )

const burstsTable = ({ bursts }: Results['contention']): string =>
  table(
    ['at once', '', 'bursts', 'no winner', 'exactly one', 'requests', 'ms to the winner'],
    bursts.map(({ size, contestant, bursts: all, none, one, requests, toWinner }) => [
      size,
      contestant,
      all,
      ...[none, one].map((count) => `${((100 * count) / all).toFixed(1)} %`),
      figure(requests, 1),
      figure(toWinner, 0),
    ]),
  )

const waitersTable = ({ waiters, bounds }: Results['contention']): string =>
  table(
    ['wait', '', 'got it', 'ms', 'against one alone', 'requests each', 'longest / median wait'],
    waiters.map((one) => {
      const isDone = one.granted === one.waiters
      const bound = bounds.find(([count]) => count === one.waiters)![1]
      return [
        one.waiters,
        one.contestant,
        one.granted,
        isDone ? figure(one.time, 0) : `over ${figure(one.time, 0)}`,
        isDone ? figure(one.time / bound) : '-',
        one.granted > 0 ? figure(one.requestsPerGrant, 1) : '-',
        isDone ? figure(one.longestWait / one.medianWait) : '-',
      ]
    }),
  )

const cpuTable = ({ results }: Results['cpu']): string =>
  table(
    ['', '', 'cycles/s', 'of one key/s', 'KB per cycle', 'KB per held lock'],
    results.map(({ match, name, perSecond, bytesPerCycle, bytesPerLock }) => [
      match,
      name,
      figure(Math.round(perSecond.fresh)),
      figure(Math.round(perSecond.same)),
      (bytesPerCycle / 1024).toFixed(1),
      bytesPerLock === undefined ? '' : (bytesPerLock / 1024).toFixed(1),
    ]),
  )

const requestsTable = ({ results }: Results['requests']): string => {
  const steps = Object.keys(results[0]!.costs) as (keyof (typeof results)[number]['costs'])[]
  return table(
    ['nodes', '', ...steps],
    results.map(({ nodes, contestant, isEmulated, costs }) => [
      nodes,
      contestant,
      ...steps.map((step, index) => figure(costs[step], 1) + (isEmulated && index > 1 ? ' *' : '')),
    ]),
  )
}

const section = (
  heading: string,
  { command, machine }: { command: string; machine: string },
  charts: readonly string[],
  text: string,
  figures: string,
): string =>
  [
    `## ${heading}`,
    text,
    ...charts.map((chart) => `![${heading}](benchmarks/${chart}.svg)`),
    figures,
    `\`${command}\`, on ${machine}.`,
  ].join('\n\n')

/** The whole page. */
export const pageOf = (all: All): string => {
  const { latency, contention, cpu, requests } = all
  const sections = [
    section(
      'Latency',
      latency,
      ['latency'],
      'How long an acquire takes against the least it can take: the moment at which the quorum-th fastest of its own replies reaches the client. Five real servers, 3 to 10 ms away each way; the same faults for all, and one acquire at a time. This project goes over REST and the gateway, the others over ioredis and TCP with the same added delay, so compare ratios; `no distance` has both without the delay. Where there is no bar, the library did not answer within a second.',
      latencyTable(latency.result),
    ),
    section(
      'Bursts',
      contention,
      ['winners', 'burst-requests', 'burst-times'],
      'So many clients ask for one lock at the same moment, with one try each, and nobody gives it back before all are answered. Requests are all that follows from a burst, releases included.',
      burstsTable(contention.result),
    ),
    section(
      'Waiting',
      contention,
      ['waiters'],
      'So many clients, each by itself, wait for one lock, take it once and give it back at once; against one client that takes as many locks with nobody about. Each line is one run; the bars are medians. Default delays of each library; who gives up tries again at once.',
      waitersTable(contention.result),
    ),
    section(
      'Processor and memory',
      cpu,
      ['cpu'],
      'Acquire and release over nodes that answer at once, in seconds of the thread: without any transport on five nodes, and over a `fetch` that answers at once on one. `no library` only asks and reads. Here each round has a deadline and can be cancelled, and each reply is compared with what was asked.',
      cpuTable(cpu.result),
    ),
    section(
      'Commands',
      requests,
      ['requests'],
      'What is billed, with everything that follows once the caller has its answer. A script is one command.',
      `${requestsTable(requests.result)}\n\n\\* has no throttle: acquires, and does not release.`,
    ),
  ]
  return `# Benchmarks

Beside the libraries of npm that lock several Redis servers, and @upstash/lock, in one run each, through the same servers and faults. Ratios count; the milliseconds are those of one machine. \`npm run bench:report -- --run all\` measures anew, draws the charts and writes this page; each section names its own command. [What the same libraries do with broken servers](comparison.md) is another matter.

## The bars

${table(['', 'measured', 'bar', ''], targetRows(all))}

\`npm run bench:virtual\` plays bursts and waiting in virtual time, where no machine is in the way: the same figures in every run.

${sections.join('\n\n')}
`
}
