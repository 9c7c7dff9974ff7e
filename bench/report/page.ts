import { byHandTable, httpTable } from './http-tables.ts'
import {
  burstsTable,
  cpuTable,
  footprintTable,
  latencyTable,
  requestsTable,
  handingOnTable,
  waitersTable,
} from './page-tables.ts'
import { regionsTable } from './regions-table.ts'
import type { All } from './results.ts'
import { maxStall } from '../shared/stalls.ts'
import { sickTable, trialsTable } from './sick-tables.ts'
import { targetsTable } from './target-rows.ts'

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
  const { latency, contention, sick, regions, http, cpu, requests, footprint } = all
  const sections = [
    section(
      'Latency',
      latency,
      ['latency'],
      'The time of an acquire, compared with its theoretical minimum: the moment at which a quorum of its own replies has reached the client. There are five real servers, 3 to 10 ms away each way, with the same faults for all libraries, and one acquire at a time. This project uses REST and the gateway; the others use ioredis and TCP with the same added delay. So compare ratios; `no distance` shows both without the delay. Where a bar is missing in the chart, the library did not answer within a second.',
      latencyTable(latency.result),
    ),
    section(
      'Bursts',
      contention,
      ['winners', 'burst-requests', 'burst-times'],
      'Several clients acquire one lock at the same moment, with one attempt each. The lock is held until every client has its answer. Requests include everything that follows from a burst, such as releases.',
      burstsTable(contention.result),
    ),
    section(
      'Waiting',
      contention,
      ['waiters'],
      'Several independent clients wait for one lock, acquire it once and release it at once. Their time is compared with that of one client that acquires as many locks without contention. Each line is one run, and the targets apply to medians. Each library uses its default delays; a client that has used up its retries acquires again at once.',
      waitersTable(contention.result),
    ),
    section(
      'Wake-up',
      contention,
      [],
      'The same over three gateways that are 3 to 10 ms away, with `withWakeUp` and without. Two clients take the lock in turns, 20 times each; of more, each takes it once. Medians of several runs.',
      handingOnTable(contention.result),
    ),
    section(
      'One sick node',
      sick,
      ['sick-ratios', 'sick-winners', 'sick-times', 'sick-answers'],
      'Bursts over five nodes. All nodes are well in one burst; in the next one, a node hangs, or its answers are 100 to 300 ms late. The clients do not wait for the lock (`wait: 0`; other libraries: one attempt). Each cell shows the figure with all nodes well → with one sick. A node is numbered by its place in the order of names. The place matters in this project; the other libraries treat all nodes alike, so one place is measured. A client without an answer after ten seconds (other libraries: three) counts as unanswered. A library that has given no answer in three bursts is not asked again: `-`.',
      `${sickTable(sick.result.bursts)}

In a second measurement, each burst is a double click by two new clients, which have asked no node before, as in isolates that have just started.

${sickTable(sick.result.fresh)}

In a third one, two clients at once run a routine of two seconds over three nodes, by \`using\` or its counterpart, with a ttl of one second. Either one node hangs, a different one for each pair of clients, or the processes of the servers are stopped by SIGSTOP, one after the other. Many pairs run at the same time. A trial is repeated if the process of the clients or of the gateways stood still for more than ${maxStall} ms, since such a process loses its lock whatever the library does. A call that has not settled after 15 s (other libraries: 6 s) has no answer.

${trialsTable(sick.result)}`,
    ),
    section(
      'Five regions',
      regions,
      ['regions'],
      `Clients and nodes in five regions of AWS, in virtual time, with open connections. The round trips are medians that [cloudping.co](https://www.cloudping.co) publishes, and each way takes up to 10 % more or less. The quorum-th reply is the earliest time at which the client nearest to a quorum can have an answer. Times are multiples of it, in the worst case of each group: of two or five clients in each region, or of one client in each. The nodes are in ${regions.result.orders.length} orders, since their names decide which node comes first: the one nearest to the clients first, the farthest one first, and another order for each burst. Each case has ${regions.result.bursts} bursts in each order. The targets apply to the default strategy.`,
      regionsTable(regions.result),
    ),
    section(
      'On workerd',
      http,
      [],
      `A trivial Hono handler on workerd, alone and behind the middleware, over three real servers on the same machine, by ${http.result.connections} connections. In turn with it, for 50 requests each, handlers in the same app send the same requests to the servers by hand, cancel them after the same time, and answer the same. The ratio is the median of the ratios of all turns, so it may differ from the ratio of the medians beside it. Each Worker has served 20,000 requests before, since V8 goes on to optimize its code for that long. The bare Worker has neither Hono nor timeouts, so that a Redis that hangs would take its connections: what the platform alone can serve.`,
      `${httpTable(http.result)}\n\n${byHandTable(http.result)}`,
    ),
    section(
      'Processor and memory',
      cpu,
      ['cpu'],
      'The processor time of acquire and release, in seconds of the thread, over nodes that answer at once: five nodes without any transport, and one node behind a `fetch`. `no library` only sends requests and reads replies. In this project each round has a deadline and can be cancelled, and each reply is compared with its request. The targets are about the five nodes: 8.5 us, 25 KB of garbage and 2.2 KB per held lock. They compare microseconds, while a lock takes milliseconds of network and of other processes. [On workerd](#on-workerd) has a target for the cost of the middleware.',
      cpuTable(cpu.result),
    ),
    section(
      'Commands',
      requests,
      ['requests'],
      'In each cell: the commands that are sent, where a script is one; those that the servers execute, including those inside scripts; and USD for a million at $0.20 per 100,000 of the latter ([costs](costs.md)). What follows after the caller has its answer is included.',
      `${requestsTable(requests.result)}\n\n\\* has no throttle: acquires a lock and does not release it. A dash: has no lock.`,
    ),
    section(
      'Footprint',
      footprint,
      [],
      'Bytes on one node, by the memory that a real server reports. Keys have 36 characters, and the locks of this project metadata of 2,000 characters, which the others lack. A released lock leaves a tombstone for one minute, so that requests that arrive late do nothing, and a fence for ten minutes, which holds the fencing counter. The other libraries have neither, and leave nothing. The last column is the steady state with a million locks a day, each with a key of its own: the server is filled with as many fences and tombstones as exist at the same time.',
      `${footprintTable(footprint.result)}\n\n\\* has no throttle: acquires a lock and does not release it.`,
    ),
  ]
  return `# Benchmarks

This page compares this project with the npm libraries that lock several Redis servers, and with @upstash/lock. All of them run with the same servers and faults. Compare ratios; the milliseconds are those of one machine. \`npm run bench:report -- --run all\` repeats all measurements, draws the charts and writes this page; each section names its own command. [How the same libraries behave with faulty servers](comparison.md) is a page of its own.

## Targets

${targetsTable(all)}

\`npm run bench:virtual\` measures bursts and waiting in virtual time, independently of the machine, and prints the same figures in every run. \`npm run bench:size\` compares sizes in a bundle.

${sections.join('\n\n')}
`
}
