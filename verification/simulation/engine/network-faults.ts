import type { Random } from '../../../tools/random.ts'
import type { Recorder } from '../checks/recorder.ts'
import type { FaultRates } from '../workload/fault-rates.ts'
import type { EventLoop } from './event-loop.ts'
import type { Reply } from './server.ts'

/** Decides what goes wrong with each message. Each message has its own random numbers. */
export type NetworkFaults = {
  /** Decides at random whether a fault with this rate happens; always false after `heal`. */
  readonly happens: (random: Random, rate: number) => boolean
  /** Decides at random whether a message is slow. Returns its one-way time in ms; undefined if it is not slow. */
  readonly slowDelay: (random: Random) => number | undefined
  /** Blocks a server, or a link between a process and a server, for this many ms. */
  readonly block: (name: string, time: number) => void
  readonly isBlocked: (name: string) => boolean
  /** Returns the reply as it arrives: unchanged, garbled, or the reply to another request. */
  readonly distort: (random: Random, server: string, value: string, reply: Reply) => Reply
  readonly heal: () => void
}

/** Replies of load balancers, proxies and caches, and truncated replies. */
const garbage: readonly Reply[] = [
  { status: 500, body: '{"error":"internal"}' },
  { status: 502, body: '<html><h1>Bad Gateway</h1></html>' },
  { status: 200, body: '<html>Sign in</html>' },
  { status: 200, body: '' },
  { status: 200, body: 'null' },
  { status: 200, body: '{"result":["a' },
  { status: 200, body: '{"result":null}' },
  { status: 429, body: '{"error":"ERR max requests limit exceeded"}' },
  { status: 301, body: '' },
  { status: 307, body: '{"result":"OK"}' },
]

export const makeNetworkFaults = (
  { now }: EventLoop,
  rates: FaultRates,
  maxDelay: number,
  recorder: Recorder,
): NetworkFaults => {
  const blockedUntil = new Map<string, number>()
  // The last reply of each server, and the lock value in its request.
  const lastReplies = new Map<string, { readonly value: string; readonly reply: Reply }>()
  let isHealed = false
  const happens: NetworkFaults['happens'] = (random, rate) =>
    !isHealed && rate > 0 && random.chance(rate)
  return {
    happens,
    slowDelay: (random) => (happens(random, rates.slow) ? random.between(0, maxDelay) : undefined),
    block: (name, time) => void blockedUntil.set(name, now() + time),
    isBlocked: (name) => !isHealed && (blockedUntil.get(name) ?? 0) > now(),
    distort: (random, server, value, reply) => {
      const last = lastReplies.get(server)
      lastReplies.set(server, { value, reply })
      if (!happens(random, rates.garbled)) return reply
      const isMixedUp = last !== undefined && last.value !== value && random.chance(0.3)
      recorder.covered(isMixedUp ? 'reply to another request' : 'garbled reply')
      return isMixedUp ? last.reply : random.pick(garbage)
    },
    heal: () => {
      isHealed = true
    },
  }
}
