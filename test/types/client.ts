import {
  type LockNode,
  quarantine,
  Redlock,
  throttle,
  withSlots,
  withTracing,
  withWakeUp,
} from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { tracer } from '../tracing/telemetry.ts'

// Compiled by `npm run typecheck`, and never run.

const nodes = memoryNodes(3)
const plain = new Redlock({ nodes })
const slots = withSlots(plain)

export const calls = () => [
  slots.acquire('key', { limit: 2, strategy: 'frugal' }),
  throttle(slots, 'key', { window: 1_000, limit: 2, wait: 100 }),
  withWakeUp(withTracing(slots, { tracer })).acquire('key', { limit: 2 }),
  plain.acquire('key', { retry: ({ attempt, retryAfter }) => attempt < 3 && retryAfter }),
  // @ts-expect-error -- only what `withSlots` returns has a limit
  plain.acquire('key', { limit: 2 }),
  // @ts-expect-error -- nor does what the others return
  withWakeUp(plain).tryAcquire('key', { limit: 2 }),
  // @ts-expect-error -- a throttle waits only there
  throttle(plain, 'key', { window: 1_000, wait: 100 }),
  // @ts-expect-error -- a retry function has one argument
  plain.acquire('key', { retry: (attempt: number) => attempt }),
  // @ts-expect-error -- there are two strategies
  plain.tryAcquire('key', { strategy: 'fast' }),
]

export const clients = [
  new Redlock({ nodes, advanced: { quorum: 3 } }),
  // @ts-expect-error -- an advanced option beside the others
  new Redlock({ nodes, quorum: 3 }),
  // @ts-expect-error -- an advanced option that there is not
  new Redlock({ nodes, advanced: { quroum: 3 } }),
  new Redlock({ nodes: [{ url: 'https://a.example', token: 't', volatile: quarantine() }] }),
  // @ts-expect-error -- a volatile node needs the code of its quarantine
  new Redlock({ nodes: [{ url: 'https://a.example', token: 't', volatile: true }] }),
]

/** A node that passes its calls on, and one that reads them. */
export const wrapped: LockNode[] = [
  { name: 'a', run: (...call) => nodes[0]!.run(...call) },
  { name: 'b', run: async () => ({ status: 'granted', counter: 1 }) },
]
