import { forceRelease } from '../../../src/index.ts'
import { checkSecrets } from '../checks/secret-check.ts'
import { runCall } from './run-call.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

/** Forcibly releases a key, from any holder or from a particular one. */
export const callForce = (scenario: Scenario, client: SimulatedClient): Promise<void> =>
  runCall(scenario, client, async () => {
    const { loop, keys, recorder } = scenario
    const { random } = loop
    const key = random.pick(keys)
    const known = recorder
      .operations()
      .filter(({ held }) => held?.includes(key))
      .sort((a, b) => a.acquiredAt! - b.acquiredAt!)
    const one = known[0] && random.chance(0.5) ? random.pick(known) : undefined
    const id = one?.lock!.slice(0, 8)
    const call = { kind: 'force', keys: [key], holder: id } as const
    const forced = recorder.called(client.process.name, call)
    const result = await forceRelease(client.redlock, key, { id })
    recorder.say(forced, { type: 'forced' })
    recorder.covered(`by force${id ? ', one holder' : ''}: ${result.state}`)
    checkSecrets(scenario, 'a release by force', result)
  })
