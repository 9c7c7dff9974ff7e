import type { Contestant } from './contestants/contestant.ts'
import { sleep } from './faults.ts'
import type { Servers } from './nodes.ts'
import type { Behaviour } from './behaviours/behaviour.ts'
import { fails, none, type Observation, settle } from './observation.ts'
import { setUpTestBed } from './test-bed.ts'

/** The timeout of one command of another library, in ms: the default of this project. */
const commandTimeout = 500

// Every case limits its own waits; this ends a case in which another library hangs unexpectedly.
const caseLimit = 20_000

/**
 * Runs one case on its own test bed.
 *
 * @throws any error of the case or the adapter: it is not an observation.
 */
const runCase = async (
  behaviour: Behaviour,
  contestant: Contestant,
  servers: Servers,
  timeout: number | false | undefined,
): Promise<Observation> => {
  const bed = setUpTestBed(contestant, servers, timeout)
  try {
    const outcome = await settle(behaviour.run(bed), caseLimit)
    if (outcome.state === 'rejected') throw outcome.error
    return outcome.state === 'resolved' ? outcome.value : fails('no end of the case')
  } finally {
    bed.close()
    // Rejections that closing causes belong to this case, not to the next.
    await sleep(20)
  }
}

/**
 * Observes one contestant in one case. Another library whose commands may hang for a long time by default gets a
 * timeout. A case in which a command hangs also runs without it.
 */
export const observe = async (
  behaviour: Behaviour,
  contestant: Contestant,
  servers: Servers,
): Promise<Observation> => {
  const { lacks, timeoutBy } = contestant
  const lacking = behaviour.needs?.find((feature) => lacks[feature])
  if (lacking) return none(lacks[lacking]!)
  const timeout = timeoutBy ? commandTimeout : undefined
  const seen = await runCase(behaviour, contestant, servers, timeout)
  if (!behaviour.hangs || !timeoutBy) return seen
  const bare = await runCase(behaviour, contestant, servers, false)
  return {
    ...seen,
    saw: `${seen.saw} with ${timeoutBy}, ${bare.saw} without`,
    needsTimeout: seen.value === 'ok' && bare.value === 'FAILS',
  }
}
