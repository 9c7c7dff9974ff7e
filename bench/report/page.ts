import {
  type All,
  burstsTable,
  cpuTable,
  latencyTable,
  requestsTable,
  targetsTable,
  waitersTable,
} from './page-tables.ts'

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
      'Processor and memory',
      cpu,
      ['cpu'],
      'Acquire and release over nodes that answer at once, in processor seconds of the thread: five nodes without any transport, and one node behind a `fetch` that answers at once. `no library` only sends requests and reads replies. In this project each round has a deadline and can be cancelled, and each reply is compared with its request.',
      cpuTable(cpu.result),
    ),
    section(
      'Commands',
      requests,
      ['requests'],
      'The commands that are billed, including those that follow after the caller has its answer. A script is one command.',
      `${requestsTable(requests.result)}\n\n\\* has no throttle: acquires a lock and does not release it.`,
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
