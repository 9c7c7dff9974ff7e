import { forceRelease } from '../../../src/index.ts'
import { checkSecrets } from '../checks/secret-check.ts'
import type { Forced } from '../checks/records.ts'
import { runCall } from './run-call.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

/** Releases a key by force, whoever holds it, or one holder of it. */
export const callForce = (scenario: Scenario, client: SimulatedClient): Promise<void> =>
  runCall(scenario, client, async () => {
    const { loop, keys, recorder } = scenario
    const { random } = loop
    const key = random.pick(keys)
    const known = recorder.holds.filter((hold) => hold.keys.includes(key))
    const one = known[0] && random.chance(0.5) ? random.pick(known) : undefined
    const id = one?.value.slice(0, 8)
    const forced: Forced = { keys: [key], id, calledAt: loop.now(), endedAt: Infinity }
    recorder.forces.push(forced)
    const result = await forceRelease(client.redlock, key, { id })
    forced.endedAt = loop.now()
    recorder.covered(`by force${id ? ', one holder' : ''}: ${result.state}`)
    checkSecrets(scenario, 'a release by force', result)
  })
