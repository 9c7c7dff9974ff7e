import type { SlowClients } from './observe-slow.ts'
import { type Kind, maxBody } from './kinds.ts'
import type { Load } from './load.ts'
import { maxGrowth, maxTimesP99, minShare } from './limits.ts'
import type { Comparison } from './observe-bare.ts'
import type { Outage } from './observe-outage.ts'
import type { Memory } from './gateway-server.ts'
import type { Shutdown } from './observe-shutdown.ts'
import type { Subscribers } from './observe-subscribers.ts'

/** The defects, in words; empty if everything is correct. */
export type Complaints = readonly string[]

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} x ${name}`)
    .join(', ') || 'nothing'

const unless = (isRight: boolean, complaint: string): string[] => (isRight ? [] : [complaint])

/** Every request gets the correct answer, and Redis runs exactly the commands of these requests. */
export const judgeLoad = (
  { name, status, commands }: Kind,
  { statuses, errors }: Load,
  ran: Readonly<Record<string, number>>,
  besides = 0,
): Complaints => {
  const answered = statuses[status] ?? 0
  const wanted = answered * commands + besides
  const isOnly = Object.keys(ran).every((command) => command === 'incr')
  return [
    ...unless(errors === 0, `${name}: ${errors} connections broke`),
    ...unless(
      answered > 0 && Object.keys(statuses).length === 1,
      `${name}: answered ${listed(statuses)}`,
    ),
    ...unless(
      isOnly && (ran.incr ?? 0) === wanted,
      `${name}: Redis ran ${listed(ran)} where ${wanted} x incr were right`,
    ),
  ]
}

/** A client that never finishes is cut off within the limit, plus the interval of the check. */
export const judgeSlow = ({ ends, inTime }: SlowClients, limit: number): Complaints => [
  ...unless(
    ends.every(({ after }) => after < limit + 2000),
    `a slow client was left alone for ${Math.max(...ends.map(({ after }) => after)).toFixed(0)} ms`,
  ),
  ...unless(
    ends.every(({ said }) => said === '408' || said === 'nothing'),
    `a slow client was told ${[...new Set(ends.map(({ said }) => said))].join(', ')}`,
  ),
  ...unless(
    inTime.every((status) => status === '200'),
    `a slow client that was in time was told ${[...new Set(inTime)].join(', ')}`,
  ),
]

const mebibyte = 1_048_576
// 1,000 connections with a body each use a third of it. The rest is for Node, and for garbage that V8 has not yet
// collected: less than a tenth of the resident set is in use.
const maxMemory = 3 * 1000 * maxBody

/** Memory is bounded at any time, and nothing has leaked at the end. */
export const judgeMemory = (memory: {
  readonly peak: number
  readonly first: Memory
  readonly last: Memory
}): Complaints => {
  const { peak, first, last } = memory
  const growth = last.used - first.used
  return [
    ...unless(peak <= maxMemory, `memory: ${(peak / mebibyte).toFixed(0)} MiB`),
    ...unless(
      growth <= maxGrowth,
      `memory: ${(growth / mebibyte).toFixed(0)} MiB more were in use`,
    ),
  ]
}

/**
 * Every client that reads receives all messages. Clients that do not read are cut off, and none leaves a connection
 * behind.
 */
export const judgeSubscribers = (seen: Subscribers): Complaints => [
  ...unless(
    seen.complete === seen.subscribers,
    `subscribers: ${seen.complete} of ${seen.subscribers} received all messages in order`,
  ),
  ...unless(seen.cutOff === seen.stalled, `subscribers: ${seen.cutOff} were cut off`),
  ...unless(seen.left === 0, `subscribers: ${seen.left} connections were left`),
  ...judgeMemory(seen.memory),
]

/** 503 while Redis is down, then 200 again. Every acknowledged write is present, and none ran twice. */
export const judgeOutage = ({ statuses, isSame, counter }: Outage): Complaints => {
  const answered = statuses[200] ?? 0
  const unknown = statuses[503] ?? 0
  const isKept = counter >= answered && counter <= answered + unknown
  return [
    ...unless(isSame, 'the gateway did not outlive the outage'),
    ...unless(answered + unknown === total(statuses), `outage: answered ${listed(statuses)}`),
    ...unless(isKept, `outage: ${answered} x 200, ${unknown} x 503, but Redis counts ${counter}`),
  ]
}

/** A request ran if and only if it was answered, and every other request was rejected. */
export const judgeShutdown = (shutdown: Shutdown, grace: number): Complaints => {
  const { answered, executed, refused, others, code, took } = shutdown
  return [
    ...unless(answered > 0 && refused > 0, `shutdown: ${answered} answered, ${refused} refused`),
    ...unless(executed === answered, `shutdown: ${executed} ran, ${answered} were answered`),
    ...unless(total(others) === 0, `shutdown: ${listed(others)}`),
    ...unless(code === 0, `shutdown: ended with ${code}`),
    ...unless(took < grace + 1000, `shutdown: took ${took.toFixed(0)} ms`),
  ]
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** It costs little more than the minimum for a Node server. */
export const judgeBare = ({ share, timesP99, failures }: Comparison): Complaints => [
  ...unless(failures === 0, `beside a bare server: ${failures} requests failed`),
  ...unless(share >= minShare, `${share.toFixed(2)} of the requests/s of a bare server`),
  ...unless(timesP99 <= maxTimesP99, `${timesP99.toFixed(2)} times the p99 of a bare server`),
]
