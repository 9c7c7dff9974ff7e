import type { Behaviour } from './behaviour.ts'
import { acquireBehaviours } from './acquire.ts'
import { extensionBehaviours } from './automatic-extension.ts'
import { extendBehaviours } from './extend.ts'
import { hangingBehaviours } from './hanging-nodes.ts'
import { leftoverBehaviours } from './leftover-keys.ts'
import { rejectionBehaviours } from './rejection.ts'
import { sameDatabase } from './same-database.ts'
import { atMostLimit } from './slots.ts'

/** All behaviors, in the order of the rows. A feature of this library alone is not a row. */
export const behaviours: readonly Behaviour[] = [
  acquireBehaviours.lateGrant,
  acquireBehaviours.tie,
  acquireBehaviours.selfCollision,
  hangingBehaviours.hungNode,
  hangingBehaviours.hungMajority,
  hangingBehaviours.hungRelease,
  hangingBehaviours.hungExtend,
  leftoverBehaviours.lostReplies,
  leftoverBehaviours.lateExecution,
  acquireBehaviours.secondAcquire,
  extensionBehaviours.failingExtension,
  acquireBehaviours.quorum,
  extensionBehaviours.hotLoop,
  leftoverBehaviours.abort,
  rejectionBehaviours.reason,
  extensionBehaviours.ownError,
  extendBehaviours.lateExtend,
  sameDatabase,
  extendBehaviours.heal,
  extendBehaviours.healTaken,
  rejectionBehaviours.expiredRelease,
  acquireBehaviours.severalKeys,
  extendBehaviours.fraction,
  extendBehaviours.keepsOnFailure,
  atMostLimit,
]
