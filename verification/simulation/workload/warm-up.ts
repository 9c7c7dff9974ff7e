import type { Scenario, SimulatedClient } from './scenario.ts'
import { drawMinority, makeSickNodes } from './sick-nodes.ts'

// An upper bound on the duration of a warm-up, in ms.
const limit = 10_000

const useOnce = async (
  { loop, recorder }: Scenario,
  { process, redlock, background }: SimulatedClient,
): Promise<void> => {
  recorder.beginCall(process.name)
  await process.sleep(loop.random.between(0, 20))
  const waitUntil = (work: Promise<unknown>): void => void background.push(work)
  const result = await redlock.tryAcquire(`lock of ${process.name}`, { waitUntil })
  if (result.ok) await result.lock.release()
  while (background.length > 0) await Promise.all(background.splice(0))
  recorder.endCall(process.name)
}

/** Lets each client acquire and release a different lock, so that it remembers the current state of the nodes. */
export const useAllOnce = async (
  scenario: Scenario,
  clients: readonly SimulatedClient[],
): Promise<void> => {
  const { loop, recorder } = scenario
  let open = clients.length
  for (const client of clients) {
    useOnce(scenario, client)
      .catch((error: unknown) => recorder.violated('errors', String(error)))
      .finally(() => open--)
  }
  await loop.runUntil(loop.now() + limit, () => open === 0)
}

/**
 * Lets each client use a lock while a minority of the nodes is slow or hangs. Some of these nodes do so only for some
 * clients, so the clients remember different nodes as slow. Afterwards, all nodes are healthy.
 */
export const warmUp = async (
  scenario: Scenario,
  clients: readonly SimulatedClient[],
): Promise<void> => {
  const { loop, recorder } = scenario
  const sick = makeSickNodes(scenario)
  for (const server of drawMinority(scenario)) {
    sick.strike(server, loop.random.pick(['hangs', 'is late', 'is cut off', 'is cut off']))
  }
  await useAllOnce(scenario, clients)
  sick.cureAll()
  recorder.covered('clients that remember slow nodes')
}
