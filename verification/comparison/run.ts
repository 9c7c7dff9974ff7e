import type { Contestant } from './contestants/contestant.ts'
import { sleep } from './faults.ts'
import type { Servers } from './nodes.ts'
import { type Behaviour, fails, none, type Observation, settle } from './observation.ts'
import { setStage } from './stage.ts'

/** Ms for one command of a rival, the same that this project has by default. */
const timeout = 500

// Every case limits what it waits for; this is for a rival that hangs where none expects it.
const longest = 20_000

/**
 * Plays one case on a stage of its own.
 *
 * @throws what the case throws: that is a fault of the case or the adapter, and no observation.
 */
const play = async (
  behaviour: Behaviour,
  contestant: Contestant,
  servers: Servers,
  timeout: number | false | undefined,
): Promise<Observation> => {
  const stage = setStage(contestant, servers, timeout)
  try {
    const outcome = await settle(behaviour.run(stage), longest)
    if (outcome.state === 'rejected') throw outcome.error
    return outcome.state === 'resolved' ? outcome.value : fails('no end of the case')
  } finally {
    stage.close()
    // What is rejected by closing belongs to this case and not to the next.
    await sleep(20)
  }
}

/**
 * What one contestant does in one case. A rival that lets a command hang for long unless it is
 * told otherwise is told so; where something hangs, the case is also played without that.
 */
export const observe = async (
  behaviour: Behaviour,
  contestant: Contestant,
  servers: Servers,
): Promise<Observation> => {
  const { lacks, timeoutBy } = contestant
  const lacking = behaviour.needs?.find((feature) => lacks[feature])
  if (lacking) return none(lacks[lacking]!)
  const seen = await play(behaviour, contestant, servers, timeoutBy ? timeout : undefined)
  if (!behaviour.hangs || !timeoutBy) return seen
  const bare = await play(behaviour, contestant, servers, false)
  return {
    ...seen,
    saw: `${seen.saw} with ${timeoutBy}, ${bare.saw} without`,
    needsTimeout: seen.value === 'ok' && bare.value === 'FAILS',
  }
}
