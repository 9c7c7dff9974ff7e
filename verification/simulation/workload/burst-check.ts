import type { Scenario, SimulatedClient } from './scenario.ts'
import { startClient } from './simulated-client.ts'

/** The fault during a burst. "First node" is the one that ranks first for all clients. */
const faults = [
  'none',
  'none',
  'none',
  'first node down',
  'first node cut off from some clients',
  'one client dies',
] as const
type Fault = (typeof faults)[number]

// When the winner of a burst releases the lock, in ms: after all others have been rejected.
const holdTime = 4_000
// The ttl or window: longer than the winner holds the lock.
const ttl = 6_000

type Burst = { readonly key: string | string[]; readonly isThrottle: boolean }
type Tally = { winners: number; answered: number }

/** One client of the burst: it asks once, and holds what it gets until all others have asked. */
const joinBurst = async (
  { recorder }: Scenario,
  { process, redlock, background }: SimulatedClient,
  { key, isThrottle }: Burst,
  tally: Tally,
): Promise<void> => {
  const waitUntil = (work: Promise<unknown>): void => void background.push(work)
  const result = isThrottle
    ? await redlock.throttle(key, { window: ttl, waitUntil })
    : await redlock.tryAcquire(key, { ttl, waitUntil })
  tally.answered++
  if (result.ok) tally.winners++
  await process.sleep(holdTime)
  if ('lock' in result) await result.lock.release()
  while (background.length > 0) await Promise.all(background.splice(0))
  recorder.endCall(process.name)
}

/**
 * Several clients ask at the same moment for a lock, for several keys or for a throttle. At most one
 * may get it; and exactly one must, if all of them see the same nodes.
 */
export const checkBurst = async (scenario: Scenario): Promise<void> => {
  const { loop, recorder, network, servers } = scenario
  const { random } = loop
  // Of two servers neither may be down.
  const fault: Fault = servers.length > 2 ? random.pick(faults) : 'none'
  const key = random.pick(['burst', 'burst', ['burst', 'and another']])
  const isThrottle = random.chance(0.3)
  const firstNode = servers[0]!.name
  const clients = Array.from({ length: random.whole(2, 10) }, (_, index) =>
    startClient(scenario, `b${index + 1}`),
  )
  if (fault === 'first node down') network.hang(firstNode, holdTime)
  const tally: Tally = { winners: 0, answered: 0 }
  for (const client of clients) {
    const { name } = client.process
    recorder.beginCall(name)
    const isCutOff = fault === 'first node cut off from some clients' && random.chance(0.5)
    if (isCutOff) network.cut(name, firstNode, holdTime)
    joinBurst(scenario, client, { key, isThrottle }, tally).catch((error: unknown) =>
      recorder.violated('errors', String(error)),
    )
  }
  if (fault === 'one client dies') {
    const { process } = random.pick(clients)
    loop.after(random.between(1, 40), () => process.kill())
  }
  const start = loop.now()
  await loop.runUntil(start + holdTime - 1)
  const { winners, answered } = tally
  const mustHaveWinner = fault === 'none' || fault === 'first node down'
  if (winners === 1) recorder.covered(`burst with one winner, fault: ${fault}`)
  else if (winners > 1 || mustHaveWinner) {
    recorder.violated('burst', `${clients.length} clients (fault: ${fault}), ${winners} winners`)
  } else recorder.covered(`burst without a winner, fault: ${fault}`)
  if (mustHaveWinner && answered < clients.length) {
    recorder.violated('burst', 'not every client was answered')
  }
  await loop.runUntil(start + holdTime + 2 * ttl)
}
