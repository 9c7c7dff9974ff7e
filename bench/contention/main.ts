import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { edgeRedlock } from '../../verification/comparison/contestants/edge-redlock.ts'
import { countUnhandled } from '../../verification/comparison/unhandled.ts'
import { measureConditions } from '../bursts/conditions.ts'
import type { Measured } from '../bursts/measured.ts'
import { openRealWorld } from '../bursts/real-world.ts'
import { burstColumns } from '../bursts/table.ts'
import { measureWaiters, waiterColumns, type Waiters } from '../bursts/waiters.ts'
import { own } from '../shared/own.ts'
import { rivals } from '../shared/rivals.ts'
import { startServers } from '../shared/servers.ts'
import { burstSizes, sizesOption } from '../shared/sizes-option.ts'
import { terminalTable } from '../shared/table.ts'
import { outcomeOf } from '../shared/target.ts'
import { targetsOf } from './results.ts'
import { openHandingOn, turnsOf, unwoken, woken } from './wake-up.ts'

// Measures independent clients that want one lock, over five real servers that are 3 to 10 ms away each way.
//
// Bursts: all clients acquire at the same moment, with one attempt each. How often does exactly one of them get the
// lock, after how long, and at what cost?
//
// Waiters: all clients wait for the lock and release it immediately. How long does it take until the last one has had
// it, and at what cost? The baseline is one client that acquires as many locks without contention. How much longer
// than the median was the longest wait?
//
// Handing on: the same for this project over three gateways, with wake-up and without.

type Options = {
  bursts: number
  rivalBursts: number
  sizes: number[]
  waiters: number[]
  turns: number
  handingOn: number
  seconds: number
}

await runCommand<Options>(
  {
    name: 'npm run bench -- contention',
    description: 'Measure clients that want one lock at the same time',
    options: {
      bursts: countOption('--bursts <count>', 'the number of bursts of each size', 100_000, 100),
      rivalBursts: countOption(
        '--rival-bursts <count>',
        'the number of bursts of each size, for each other library',
        100_000,
        100,
      ),
      sizes: sizesOption('--sizes <list>', 'how many clients ask simultaneously', burstSizes),
      waiters: sizesOption('--waiters <list>', 'how many clients wait', [20, 100]),
      turns: countOption(
        '--turns <count>',
        'the number of rounds in which clients of this project wait',
        1000,
        5,
      ),
      handingOn: countOption(
        '--handing-on <count>',
        'the number of rounds of handing on, with wake-up and without',
        1000,
        5,
      ),
      seconds: countOption(
        '--seconds <count>',
        'how long to wait for a client before giving up on it',
        600,
        30,
      ),
    },
  },
  async ({ bursts, rivalBursts, sizes, waiters, turns, handingOn, seconds }) => {
    countUnhandled()
    await using started = new AsyncDisposableStack()
    const { addresses, engine, close } = await startServers(5)
    started.defer(close)
    const contestants = [...own, ...rivals]
    const limit = seconds * 1000
    const allBursts: Measured[] = []
    for (const size of sizes) {
      for (const one of contestants) {
        const labels = { contestant: one.name, group: 'all nodes well', size }
        const open = () => openRealWorld({ contestant: one, addresses, size })
        const count = own.includes(one) ? bursts : rivalBursts
        allBursts.push(...(await measureConditions(labels, [{ name: 'all well', open }], count)))
      }
    }
    const allWaiters: Waiters[] = []
    for (const size of waiters) {
      for (const one of contestants) {
        const options = { contestant: one, addresses, limit, isPatient: true }
        const wait = {
          contestant: one.name,
          size,
          rounds: own.includes(one) ? turns : 1,
          open: (size: number) => openRealWorld({ ...options, size }),
          openAlone: (size: number) => openRealWorld({ ...options, contestant: edgeRedlock, size }),
        }
        allWaiters.push(await measureWaiters(wait))
      }
    }
    const handedOn: Waiters[] = []
    for (const size of [2, 20, 100]) {
      for (const contestant of [unwoken, woken]) {
        const open = (size: number) =>
          openHandingOn(addresses.slice(0, 3), contestant === woken, size)
        const hand = { contestant, size, rounds: handingOn, turns: turnsOf(size), open }
        handedOn.push(await measureWaiters(hand))
      }
    }
    const targets = targetsOf(allBursts, allWaiters, handedOn)
    return outcomeOf('Contention', targets, { bursts: allBursts, waiters: allWaiters, handedOn }, [
      engine,
      terminalTable(allBursts, burstColumns),
      terminalTable(allWaiters, waiterColumns),
      terminalTable(handedOn, waiterColumns),
    ])
  },
)
