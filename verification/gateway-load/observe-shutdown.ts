import { setTimeout } from 'node:timers/promises'
import { countsOf, ranBetween } from './command-counts.ts'
import { startGateway } from './gateway-process.ts'
import { send } from './send.ts'
import type { Settings } from './gateway-server.ts'
import { slowButInTime, slowClient } from './slow-clients.ts'

/** The outcome of requests around a SIGTERM. */
export type Shutdown = {
  /** How many requests were answered with 200, and how many ran in Redis. */
  readonly answered: number
  readonly executed: number
  /** How many connections were refused or closed before the gateway accepted a request. */
  readonly refused: number
  /** Any other outcome, by its count. */
  readonly others: Readonly<Record<string, number>>
  readonly code: number | null
  /** Ms from the signal to the end of the process. */
  readonly took: number
}

const clients = 40
const slowClients = 20
// Enough commands for a request to take a few ms.
const perRequest = 30
const body = JSON.stringify(Array.from({ length: perRequest }, () => ['INCRBY', 'shutdown', 1]))
const refusals = /^E(?:CONNREFUSED|CONNRESET|PIPE)$/

/**
 * Ends a gateway under load. Half of the clients keep their connections. Some clients are still sending their request
 * when the signal arrives, and some of these never finish it.
 */
export const observeShutdown = async (settings: Settings): Promise<Shutdown> => {
  const gateway = await startGateway(settings)
  try {
    const before = await countsOf(settings.redis)
    const headers = { authorization: `Bearer ${settings.token}` }
    let [answered, refused] = [0, 0]
    const others: Record<string, number> = {}
    const note = (what: string): void => {
      if (what === '200') answered++
      else if (refusals.test(what)) refused++
      else others[what] = (others[what] ?? 0) + 1
    }
    const sendOn = async (isAlone: boolean): Promise<void> => {
      for (let what = '200'; !refusals.test(what); note(what)) {
        const url = `http://127.0.0.1:${gateway.port}/pipeline`
        const { status, error } = await send(url, { headers, body }, { isAlone })
        what = `${status ?? error}`
      }
    }
    const sending = Array.from({ length: clients }, (_, index) => sendOn(index % 2 === 0))
    await setTimeout(500)
    const { port, token } = gateway
    const endless = Array.from({ length: slowClients }, () =>
      slowClient(port, token, 'drips a body'),
    )
    // These finish within the grace period, so their commands must run and be answered.
    const own = JSON.stringify(['INCRBY', 'shutdown', perRequest])
    const pause = Math.floor(settings.grace / 5 / own.length)
    const inTime = Array.from({ length: slowClients }, () => slowButInTime(port, token, own, pause))
    await Promise.all(inTime.map(({ accepted }) => accepted))
    const { code, took } = await gateway.terminate()
    await Promise.all([...sending, ...endless])
    for (const { status } of inTime) note(`${await status} slow`)
    const { incrby = 0, ...more } = ranBetween(before, await countsOf(settings.redis))
    for (const [name, calls] of Object.entries(more)) others[`ran ${name}`] = calls
    const slow = others['200 slow'] ?? 0
    delete others['200 slow']
    if (slow !== slowClients) others['slow and lost'] = slowClients - slow
    return { answered, executed: (incrby - slow) / perRequest, refused, others, code, took }
  } finally {
    await gateway.end()
  }
}
