import { type LockNode, lockKey, Redlock } from 'edge-redlock'
import { check } from 'edge-redlock/doctor'
import { durableObjectNodes } from 'edge-redlock/durable-object'
import { withLock } from 'edge-redlock/fetch'
import { gateway } from 'edge-redlock/gateway'
import { redisGuard } from 'edge-redlock/guards'
import { lock } from 'edge-redlock/hono'
import { canonicalJson, idempotent } from 'edge-redlock/idempotency'
import { lock as nodeLock } from 'edge-redlock/node'
import { memoryNodes } from 'edge-redlock/testing'

// A project of CommonJS: its compiler turns these imports into calls of `require`.

const nodes: readonly LockNode[] = memoryNodes(3)
const redlock = new Redlock({ nodes })
export const once = idempotent({ redlock, scope: () => 'all', fingerprint: canonicalJson })
export const middleware = [lock({ redlock, key: lockKey('a', 7) }), nodeLock({ redlock, key: 'a' })]
export const others = [check, durableObjectNodes, gateway, redisGuard, withLock]

// @ts-expect-error -- the types of the package are known
export const wrong = redlock.acquire(7)
