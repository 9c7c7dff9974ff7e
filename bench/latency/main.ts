import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { countUnhandled } from '../../verification/comparison/unhandled.ts'
import { own } from '../shared/own.ts'
import { rivals } from '../shared/rivals.ts'
import { startServers } from '../shared/servers.ts'
import { terminalTable } from '../shared/table.ts'
import { outcomeOf } from '../shared/target.ts'
import { conditions } from './conditions.ts'
import { type MeasuredClient, openMeasured } from './measure.ts'
import { figuresOf, type Latency, latencyColumns, targetsOf } from './results.ts'

// Measures an acquire against its theoretical minimum: the moment when the quorum-th fastest of its replies reaches
// the client. The five real servers are 3 to 10 ms away each way. This project uses REST, the others ioredis and TCP.
// Each acquire, of a key without contention, is followed by its release. The contestants take turns, so that other
// load on the machine affects all equally.

await runCommand<{ acquires: number }>(
  {
    name: 'npm run bench -- latency',
    description: 'Measure an acquire against the quorum-th fastest reply of its round',
    options: {
      acquires: countOption(
        '--acquires <count>',
        'the number of acquires of each library in each case',
        100_000,
        300,
      ),
    },
  },
  async ({ acquires }) => {
    // Closing a library that hangs makes it reject, which is not measured here.
    countUnhandled()
    await using started = new AsyncDisposableStack()
    const servers = await startServers(5)
    started.defer(servers.close)
    const results: Latency[] = []
    for (const condition of conditions) {
      const clients: MeasuredClient[] = []
      for (const contestant of [...own, ...rivals]) {
        clients.push(await openMeasured(contestant, servers.addresses, condition))
      }
      for (let turn = 0; turn < acquires; turn++) {
        for (const { acquireOnce } of clients) await acquireOnce()
      }
      for (const { close } of clients) close()
      results.push(...clients.map((client) => figuresOf(condition, client.acquires)))
    }
    return outcomeOf('Latency', targetsOf(results), { acquires, results }, [
      `${servers.engine}, in another process`,
      terminalTable(results, latencyColumns),
    ])
  },
)
