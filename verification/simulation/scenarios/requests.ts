import { makeRunLog, recordedOn, type RunLog } from '../checks/run-log.ts'
import { drawRecords, isSteady } from '../workload/draw-records.ts'
import { sendRequest } from '../workload/idempotent-request.ts'
import { requestName } from '../workload/request-name.ts'
import { letAllEnd } from '../workload/let-all-end.ts'
import { injectRandomFaults } from '../workload/random-faults.ts'
import { beginFaults, killSome } from '../workload/record-faults.ts'
import { finishCall } from '../workload/run-call.ts'
import type { Scenario, SimulatedClient } from '../workload/scenario.ts'
import { makeSickNodes } from '../workload/sick-nodes.ts'
import { startClient } from '../workload/simulated-client.ts'
import type { HistoryKind } from './kind.ts'

// Several processes send the same idempotent request, each until it receives a response. Meanwhile, nodes are faulty,
// the network loses and duplicates messages, and processes pause or crash at any step.

// The time within which a history ends after its faults, in ms. A pause can outlast the faults, and several handlers
// can fail after that.
const maxEnd = 20_000

/** Sends the request until it receives a response. */
const requestUntilAnswered = async (
  scenario: Scenario,
  client: SimulatedClient,
  log: RunLog,
  isOver: () => boolean,
): Promise<void> => {
  const { loop, options, recorder } = scenario
  const { random } = loop
  while (!isOver()) {
    recorder.beginCall(client.process.name)
    let answer: string | undefined
    try {
      answer = await sendRequest(scenario, client, log, {
        wait: random.pick([0, 0, random.between(0, 3 * options.ttl)]),
        work: random.pick([0, random.between(0, 10), random.between(0, 3 * options.ttl)]),
        fails: random.chance(0.15),
      })
    } catch (error) {
      recorder.violated('errors', String(error))
    }
    if (answer !== undefined) log.answered(client, answer)
    await finishCall(scenario, client)
    if (answer !== undefined) return
    await client.process.sleep(random.between(1, options.ttl / 2))
  }
}

/** Restarts a server without data, if a quorum of the other servers has the record. */
const loseRecord = ({ loop, servers, quorum, recorder }: Scenario, log: RunLog): void => {
  const [answer] = log.answers
  const server = loop.random.pick(servers)
  const others = servers.filter((one) => one !== server)
  const kept = others.filter((one) => recordedOn(one) === answer).length
  if (answer === undefined || kept < quorum) return
  recorder.covered('requests: a server loses a record')
  server.restart()
}

const run = async (scenario: Scenario): Promise<void> => {
  const { loop, options, clients, rates, recorder, servers, quorum, network } = scenario
  const { random, after } = loop
  const log = makeRunLog(scenario)
  const minority = beginFaults(scenario, 'requests')
  const size = random.whole(2, 6)
  let open = size
  let isOver = false
  const runClient = async (name: string, isSpread: boolean): Promise<void> => {
    const client = startClient(scenario, name)
    clients.push(client)
    if (isSpread) await client.process.sleep(random.between(0, 4) * options.ttl)
    await requestUntilAnswered(scenario, client, log, () => isOver)
    open--
  }
  const isSpread = random.chance(0.5)
  const done = Array.from({ length: size }, (_, index) => runClient(`c${index + 1}`, isSpread))
  const killed = killSome(scenario, 'requests', clients)
  const end = random.between(5, 20) * options.ttl
  injectRandomFaults(scenario, end)
  for (let count = random.whole(0, 3); count > 0; count--) {
    after(random.between(0, end), () => loseRecord(scenario, log))
  }
  const watch = (): void => {
    const records = servers.map(recordedOn).filter((one) => one !== undefined)
    const isMinority = records.length > 0 && records.length < quorum
    if (isMinority) recorder.covered('requests: a record on a minority')
    if (!isOver) after(options.ttl / 7, watch)
  }
  watch()
  const openNow = (): number => open - killed.filter(({ process }) => !process.isAlive()).length
  await loop.runUntil(loop.now() + end)
  network.heal()
  minority.sick.cureAll()
  await loop.runUntil(loop.now() + maxEnd, () => openNow() <= 0)
  const isAnswered = openNow() <= 0
  if (!isAnswered) recorder.violated('service', `${openNow()} requests have got no answer`)
  isOver = true
  const hasLost = log.runs.some(({ wasLost }) => wasLost())
  const isUndisturbed = killed.length === 0 && isSteady(rates) && !hasLost
  if (isUndisturbed && log.runs.length !== 1) {
    recorder.violated(
      'once',
      `${log.runs.length} runs although no process failed and no claim was lost`,
    )
  }
  if (isUndisturbed) recorder.covered('requests: one run')
  // Wait only if all requests have ended: no events run during this wait, so a pending request would never end.
  if (killed.length === 0 && isAnswered) await Promise.all(done)
  await loop.runUntil(loop.now() + 3_000)
  await checkLater(scenario, log)
  await letAllEnd(scenario, makeSickNodes(scenario))
}

/**
 * Checks that later processes receive the response of the earlier ones, or create the first response if there was none.
 * In the end, every server must have that response.
 */
const checkLater = async (scenario: Scenario, log: RunLog): Promise<void> => {
  const { loop, clients, recorder, servers } = scenario
  for (let turn = 1; turn <= 4; turn++) {
    const client = startClient(scenario, `late-${turn}`)
    clients.push(client)
    let [isAnswered, isOver] = [false, false]
    const asking = requestUntilAnswered(scenario, client, log, () => isOver)
    void asking.then(() => (isAnswered = true))
    await loop.runUntil(loop.now() + maxEnd, () => isAnswered)
    isOver = true
    if (!isAnswered) recorder.violated('service', `late-${turn} has got no answer`)
    await loop.runUntil(loop.now() + 1_000)
  }
  const missing = servers.filter((server) => recordedOn(server) !== log.answers[0])
  if (missing.length > 0) {
    recorder.violated('spread', `${missing.map(({ name }) => name).join()} lacks the record`)
  }
}

export const requests: HistoryKind = {
  draw: (loop) => drawRecords(loop, 'requests', requestName),
  run,
}
