import { claim, type Claim, recordClient } from '../../../src/core/claim/claim.ts'
import type { RecordKey } from '../../../src/core/claim/rounds.ts'
import { requestName } from './request-name.ts'
import { isCalm } from './draw-records.ts'
import { endHold, recordHold } from './hold.ts'
import type { Run, RunLog } from '../checks/run-log.ts'
import type { Scenario, SimulatedClient } from './scenario.ts'

const fingerprint = 'payload'

/** How long responses are kept, in ms: longer than any history. */
const recordTtl = 86_400_000

export type RequestOptions = {
  /** How long to wait for the response of another run, in ms. */
  readonly wait: number
  /** The duration of the handler, in ms. */
  readonly work: number
  /** Whether the handler fails, so that the claim is released. */
  readonly fails: boolean
}

/** Runs the handler under the claim, and records the response. @returns the response; undefined if there is none. */
const runHandler = async (
  scenario: Scenario,
  client: SimulatedClient,
  own: Claim,
  log: RunLog,
  { work, fails }: RequestOptions,
): Promise<string | undefined> => {
  const { recorder } = scenario
  const hold = recordHold(scenario, client, own.lock)
  own.lock.keepAlive({ maxHold: 600_000, maxExtensions: Infinity })
  let wasLost = false
  const run: Run | undefined = fails ? undefined : log.begin(client, hold, () => wasLost)
  await client.process.sleep(work)
  if (!run) {
    endHold(scenario, client, hold)
    recorder.covered('request: released')
    await own.lock.release()
    return undefined
  }
  wasLost = !own.lock.held
  const completed = await own.complete({ fingerprint, content: run.content, ttl: recordTtl })
  endHold(scenario, client, hold)
  recorder.covered('request: ran')
  if (completed.state !== 'recorded') {
    // Recording took as long as a claim lives, so the claim was lost between the effect and the record.
    wasLost = true
    recorder.covered('request: lost its claim before its record')
    return undefined
  }
  const isOwn = completed.record.content === run.content
  if (!isOwn) recorder.covered('request: gave way to another run')
  else if (wasLost) recorder.covered('request: recorded after its claim was lost')
  return completed.record.content
}

/** Sends the request once. @returns the response; undefined if the request is rejected. */
export const sendRequest = async (
  scenario: Scenario,
  client: SimulatedClient,
  log: RunLog,
  options: RequestOptions,
): Promise<string | undefined> => {
  const { recorder } = scenario
  const named: RecordKey = {
    client: recordClient(client.redlock.client()),
    key: requestName,
    fingerprint,
    ttl: scenario.options.ttl,
    waitUntil: (work) => void client.background.push(work),
  }
  const asked = log.asked()
  const result = await claim(named, { wait: options.wait })
  if (result.state === 'claimed') {
    log.claimed(asked)
    return runHandler(scenario, client, result.claim, log, options)
  }
  if (result.state === 'recorded') {
    recorder.covered('request: replayed')
    return result.record.content
  }
  recorder.covered(`request: ${result.state}`)
  // A record on only some of the nodes is repaired, and is not an outage. With a short `wait`, it can look like one.
  const hasNoExcuse = isCalm(scenario.rates) && options.wait === 0
  if (result.state === 'unavailable' && hasNoExcuse) {
    recorder.violated(
      'outage',
      `${client.process.name} was rejected although all nodes are healthy`,
    )
  }
  return undefined
}
