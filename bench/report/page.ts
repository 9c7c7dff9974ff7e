import { burstColumns } from '../bursts/table.ts'
import { waiterColumns } from '../bursts/waiters.ts'
import { cpuColumns } from '../cpu/results.ts'
import { footprintColumns } from '../footprint/results.ts'
import { byHandColumns, byHandRows, routeColumns } from '../http/results.ts'
import { latencyColumns } from '../latency/results.ts'
import { summarize, summaryColumns } from '../regions/results.ts'
import { requestColumns } from '../requests/results.ts'
import { markdownTable } from '../shared/table.ts'
import { targetColumns } from '../shared/target.ts'
import { type All, names } from './results.ts'

const section = (
  heading: string,
  { command, machine }: { command: string; machine: string },
  text: string,
  figures: string,
): string => [`## ${heading}`, text, figures, `\`${command}\`, on ${machine}.`].join('\n\n')

/** The bursts with the fewest and the most clients: the results contain those in between. */
const fewestAndMost = <T extends { readonly size: number }>(bursts: readonly T[]): T[] => {
  const sizes = bursts.map(({ size }) => size)
  return bursts.filter(({ size }) => size === Math.min(...sizes) || size === Math.max(...sizes))
}

/** The whole page. */
export const pageOf = (all: All): string => {
  const { latency, contention, sick, regions, http, cpu, requests, footprint } = all
  const sections = [
    section(
      'Latency',
      latency,
      'The time of an acquire, compared with its theoretical minimum: the moment at which a quorum of its own replies has reached the client. There are five real servers, 3 to 10 ms away each way, with the same faults for all libraries, and one acquire at a time. This project uses REST and the gateway; the others use ioredis and TCP with the same added delay. So compare ratios; `no distance` shows both without the delay. Where a figure is missing, the library did not answer within a second.',
      markdownTable(latency.result.results, latencyColumns),
    ),
    section(
      'Bursts',
      contention,
      'Several clients acquire one lock at the same moment, with one attempt each. The lock is held until every client has its answer. Requests include everything that follows from a burst, such as releases.',
      markdownTable(contention.result.bursts, burstColumns),
    ),
    section(
      'Waiting',
      contention,
      'Several independent clients wait for one lock, acquire it once and release it at once. Their time is compared with that of one client that acquires as many locks without contention. Each figure is the median of several rounds. Each library uses its default delays; a client that has used up its retries acquires again at once.',
      markdownTable(contention.result.waiters, waiterColumns),
    ),
    section(
      'Wake-up',
      contention,
      'The same over three gateways that are 3 to 10 ms away, with `withWakeUp` and without. Two clients take the lock in turns, 20 times each; of more, each takes it once.',
      markdownTable(contention.result.handedOn, waiterColumns),
    ),
    section(
      'One sick node',
      sick,
      'Bursts over five nodes. All nodes are well in one burst; in the next one, a node hangs, or its answers are 100 to 300 ms late. The clients do not wait for the lock (`wait: 0`; other libraries: one attempt). Behind a figure stands its multiple of the same figure with all nodes well; for the time to the winner, that of the nodes of one kind together. A node is numbered by its place in the order of names. The place matters in this project; the other libraries treat all nodes alike, so one place is measured. A client without an answer after ten seconds (other libraries: three) counts as unanswered. A library that has given no answer in three bursts is not asked again. The table has the bursts of the fewest clients and of the most; `benchmarks/sick.json` has those between.',
      `${markdownTable(fewestAndMost(sick.result.bursts), burstColumns)}

In a second measurement, each burst is a double click by two new clients, which have asked no node before, as in isolates that have just started.

${markdownTable(sick.result.fresh, burstColumns)}`,
    ),
    section(
      'Five regions',
      regions,
      `Clients and nodes in five regions of AWS, in virtual time, with open connections. The round trips are medians that [cloudping.co](https://www.cloudping.co) publishes, and each way takes up to 10 % more or less. The quorum-th reply is the earliest time at which the client nearest to a quorum can have an answer. Times are multiples of it, in the worst case of each group: of two or five clients in each region, or of one client in each. The nodes are in ${regions.result.orders.length} orders, since their names decide which node comes first: the node of each region first, and another order for each burst. Each case has ${regions.result.bursts} bursts in each order. The targets include 5 % of air. They apply to the default strategy, and to throttles as well; their figures differ by the requests of a release, and are in \`benchmarks/regions.json\`.`,
      markdownTable(
        summarize(regions.result.results).filter(({ want }) => want === 'lock'),
        summaryColumns,
      ),
    ),
    section(
      'On workerd',
      http,
      `A trivial Hono handler on workerd, alone and behind the middleware, over three real servers on the same machine, by ${http.result.connections} connections. In turn with it, for 50 requests each, handlers in the same app send the same requests to the servers by hand, cancel them after the same time, and answer the same. The ratio is the median of the ratios of all turns, so it may differ from the ratio of the medians beside it. Each Worker has served 20,000 requests before, since V8 goes on to optimize its code for that long. The bare Worker has neither Hono nor timeouts, so that a Redis that hangs would take its connections: what the platform alone can serve.`,
      `${markdownTable(http.result.results, routeColumns)}\n\n${markdownTable(byHandRows(http.result.byHand), byHandColumns)}`,
    ),
    section(
      'Processor and memory',
      cpu,
      'The processor time of acquire and release, in seconds of the thread, over nodes that answer at once: five nodes without any transport, and one node behind a `fetch`. `no library` only sends requests and reads replies. In this project each round has a deadline and can be cancelled, and each reply is compared with its request. The targets are about the five nodes: 8.5 us, 25 KB of garbage and 2.2 KB per held lock. They compare microseconds, while a lock takes milliseconds of network and of other processes. [On workerd](#on-workerd) has a target for the cost of the middleware.',
      markdownTable(cpu.result.results, cpuColumns),
    ),
    section(
      'Commands',
      requests,
      'In each cell: the commands that are sent, where a script is one; those that the servers execute, including those inside scripts; and USD for a million at $0.20 per 100,000 of the latter ([costs](../../docs/understand/costs.md)). What follows after the caller has its answer is included.',
      `${markdownTable(requests.result.results, requestColumns)}\n\n\\* has no throttle: acquires a lock and does not release it. A dash: has no lock.`,
    ),
    section(
      'Footprint',
      footprint,
      'Bytes on one node, by the memory that a real server reports. Keys have 36 characters, and the locks of this project metadata of 2,000 characters, which the others lack. A released lock leaves a tombstone for one minute, so that requests that arrive late do nothing, and a fence for ten minutes, which holds the fencing counter. The other libraries have neither, and leave nothing. The last column is the steady state with a million locks a day, each with a key of its own: the server is filled with as many fences and tombstones as exist at the same time.',
      `${markdownTable(footprint.result.results, footprintColumns)}\n\n\\* has no throttle: acquires a lock and does not release it.`,
    ),
  ]
  return `# Benchmarks

This page compares this project with the npm libraries that lock several Redis servers, and with @upstash/lock. All of them run with the same servers and faults. Compare ratios; the milliseconds are those of one machine. \`npm run bench -- report --run all\` repeats all measurements and writes this page; each section names its own command. [How the same libraries behave with faulty servers](comparison.md) is a page of its own.

## Targets

${markdownTable(
  names.flatMap((name) => all[name].result.bars),
  targetColumns,
)}

\`npm run bench -- virtual\` measures bursts and waiting in virtual time, independently of the machine, and prints the same figures in every run. \`npm run bench -- size\` compares sizes in a bundle.

${sections.join('\n\n')}
`
}
