import { bareTable, httpTable } from './http-tables.ts'
import {
  burstsTable,
  cpuTable,
  footprintTable,
  latencyTable,
  requestsTable,
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
      'The time of an acquire against its theoretical minimum: the moment at which the quorum-th fastest of its own replies reaches the client. Five real servers, 3 to 10 ms away each way; the same faults for all libraries, and one acquire at a time. This project uses REST and the gateway, the others ioredis and TCP with the same added delay, so compare ratios; `no distance` shows both without the delay. Where a bar is missing in the chart, the library did not answer within a second.',
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
      'Several independent clients wait for one lock, acquire it once and release it at once, against one client that acquires as many locks without contention. Each line is one run; the targets hold for medians. Each library uses its default delays; a client whose retries are used up acquires again at once.',
      waitersTable(contention.result),
    ),
    section(
      'One sick node',
      sick,
      ['sick-ratios', 'sick-winners', 'sick-times', 'sick-answers'],
      'Bursts over five nodes with all of them well, in turn with one that hangs, or whose answers are 100 to 300 ms late. The clients are refused at once (`wait: 0`; the others: one attempt). Each figure stands for all nodes well → one sick. A node is numbered by its place in the order of names, which matters in this project; the others treat all nodes alike, so one place is measured. A client that has no answer after ten seconds (the others: three) counts as unanswered, and a library that gave no answer in three bursts is not asked again: `-`.',
      `${sickTable(sick.result)}

Then two clients at once run a routine of two seconds by \`using\` or its like, with a ttl of one second, over three nodes. One node hangs, another one for each pair; or the process of one server is stopped by SIGSTOP, one after the other. Many pairs run at the same time. A trial is run again where the process of the clients, or that of the gateways, stood still for more than ${maxStall} ms meanwhile: on a busy machine such a process loses its lock, whatever it does. A call that has not settled after 15 s (the others: 6 s) has no answer.

${trialsTable(sick.result)}`,
    ),
    section(
      'Five regions',
      regions,
      ['regions'],
      `Clients and nodes in five regions of AWS, in virtual time, with open connections. The round trips are medians that [cloudping.co](https://www.cloudping.co) publishes, and each way takes up to 10 % more or less. The quorum-th reply is the minimum for the client that is nearest to a quorum; times are in ms, and in multiples of it. The node in ${regions.result.first} has the lowest rank. ${regions.result.bursts} bursts of each case; the targets hold for the default strategy, and for the worst case of each group.`,
      regionsTable(regions.result),
    ),
    section(
      'On workerd',
      http,
      [],
      `A trivial Hono handler on workerd, alone and behind the middleware, over three real servers on the same machine, by ${http.result.connections} connections. The bare Worker sends the same requests to the servers by plain \`fetch\`, without this library, its timeouts and Hono: no middleware can do without them.`,
      `${httpTable(http.result)}\n\n${bareTable(http.result)}`,
    ),
    section(
      'Processor and memory',
      cpu,
      ['cpu'],
      'Acquire and release over nodes that answer at once, in processor seconds of the thread: five nodes without any transport, and one node behind a `fetch` that answers at once. `no library` only sends requests and reads replies. In this project each round has a deadline and can be cancelled, and each reply is compared with its request. These figures have no target: they compare work of microseconds that limits no request, since a lock costs milliseconds of network and of other processes; [On workerd](#on-workerd) has the target of what the middleware costs.',
      cpuTable(cpu.result),
    ),
    section(
      'Commands',
      requests,
      ['requests'],
      'The commands that are sent, including those that follow after the caller has its answer. A script is one command here; [what Upstash bills](guides/cloudflare.md#costs) may include the commands inside it.',
      `${requestsTable(requests.result)}\n\n\\* has no throttle: acquires a lock and does not release it.`,
    ),
    section(
      'Footprint',
      footprint,
      [],
      'Bytes on one node, by the memory that a real server reports. Keys have 36 characters, and the locks of this project metadata of 2,000 characters, which the others lack. A released lock leaves a tombstone for a minute, so that requests that arrive late do nothing, and a fence for ten, which fencing tokens rest on. The other libraries have neither, and leave nothing. The last column is the steady state of a million locks a day with a key each, built on the server: as many fences and tombstones as are alive at the same time.',
      `${footprintTable(footprint.result)}\n\n\\* has no throttle: acquires a lock and does not release it.`,
    ),
  ]
  return `# Benchmarks

This project beside the npm libraries that lock several Redis servers, and @upstash/lock, in one run each, with the same servers and faults. Compare ratios; the milliseconds are those of one machine. \`npm run bench:report -- --run all\` measures anew, draws the charts and writes this page; each section names its own command. [How the same libraries behave with faulty servers](comparison.md) is a page of its own.

## Targets

${targetsTable(all)}

\`npm run bench:virtual\` measures bursts and waiting in virtual time, without the machine, and prints the same figures in every run.

${sections.join('\n\n')}
`
}
