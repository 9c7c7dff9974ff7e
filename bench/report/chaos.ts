import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../../tools/cli/command.ts'
import { describe, figure, replay } from '../../verification/chaos/campaign/report.ts'
import type { Verdict } from '../../verification/chaos/checker/verdict.ts'
import type { Fault } from '../../verification/chaos/nemesis/fault.ts'
import { describeFault } from '../../verification/chaos/nemesis/describe-fault.ts'

// Writes verification/reports/chaos.md from the result that
// `npm run verify -- chaos --out verification/reports/chaos.json` has written.

const reports = new URL('../../verification/reports/', import.meta.url)

await runCommand(
  {
    name: 'npm run verify -- chaos-report',
    description: 'Write verification/reports/chaos.md',
    options: {},
  },
  async () => {
    const verdict = JSON.parse(await readFile(new URL('chaos.json', reports), 'utf8')) as Verdict
    const page = `# Chaos

${verdict.clients} clients in several processes, on Node and workerd, use five real servers, each behind a gateway of its own. Three servers have persistence; two lose their data at a restart. Each client acquires a lock, reads a counter from another store, waits, and writes the counter. Half of the counters are protected by the lock alone; the other half are also protected by a [guard](../../docs/understand/fencing.md). Twice a second, two to ten clients of several processes ask once for one key at the same moment, with the parallel or the frugal strategy. The winner keeps its lock alive for up to 3 s, and so does a client that is far away. Meanwhile faults are injected into servers, their clocks, gateways, links and clients.

A checker reads the history of all clients. It looks for lost updates, stale writes, two holders of one lock, tokens out of order, locks that count as held after their end or outlive their ttl, acquires that fail although a majority is healthy, bursts of clients that have no winner although a majority answers, locks that are lost although a quorum of nodes had them and was well, and outages that do not end. It leaves out what it cannot judge: a client that was itself paused or killed, nodes that changed meanwhile, and moments in which the machine was too busy. [Guarantees](../../docs/understand/guarantees.md) describes what is promised, and the other ways in which it is checked.

| fault | | times |
|---|---|--:|
${Object.entries(verdict.faults)
  .map(([kind, times]) => `| ${kind} | ${describeFault(kind as Fault['kind'])} | ${times} |`)
  .join('\n')}

${[...describe(verdict), figure(verdict)].map((line) => `- ${line}`).join('\n')}

\`${replay(verdict)} --out verification/reports/chaos.json\` ran this campaign, and \`npm run verify -- chaos-report\` wrote this page. The same seed gives the same faults, but not the same interleaving. \`npm run verify -- chaos --broken all\` runs clients that are broken on purpose, and fails unless the checker notices each of them: a quorum of two, a release that does not compare the value, no guards, no end of the validity, keys that live too long. \`--broken\` with one name runs only that one; \`--broken minority\` needs every node, and \`--broken keep-alive\` extends a lock too late.
`
    await writeFile(new URL('chaos.md', reports), page)
    return {
      isMet: true,
      json: { isMet: true, page: fileURLToPath(new URL('chaos.md', reports)) },
      lines: [`Written: ${figure(verdict)}`],
    }
  },
)
