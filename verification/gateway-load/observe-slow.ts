import type { Gateway } from './gateway-process.ts'
import type { Kind } from './kinds.ts'
import { load, type Load } from './load.ts'
import { type SlowEnd, slowButInTime, slowClient, slowKinds } from './slow-clients.ts'

/** The results of slow clients, and of the clients that sent requests at the same time. */
export type SlowClients = {
  readonly load: Load
  readonly ends: readonly SlowEnd[]
  /** The statuses of the slow clients that finished their request in time. */
  readonly inTime: readonly string[]
}

const clientsPerKind = 100

/** Loads the gateway while hundreds of clients hold connections and never finish a request. */
export const observeSlow = async (
  { port, token }: Gateway,
  kind: Kind,
  seconds: number,
): Promise<SlowClients> => {
  const slow = slowKinds.flatMap((slowKind) =>
    Array.from({ length: clientsPerKind }, () => slowClient(port, token, slowKind)),
  )
  const inTime = Array.from({ length: clientsPerKind }, () =>
    slowButInTime(port, token, '["INCR","n"]'),
  )
  const beside = await load(`http://127.0.0.1:${port}`, kind, seconds)
  return {
    load: beside,
    ends: await Promise.all(slow),
    inTime: await Promise.all(inTime.map(({ status }) => status)),
  }
}
