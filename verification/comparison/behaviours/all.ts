import type { Behaviour } from '../observation.ts'
import { acquiring } from './acquire.ts'
import { extending } from './extend.ts'
import { hanging } from './hung.ts'
import { keeping } from './keeping.ts'
import { leaving } from './leftovers.ts'
import { sameDatabase } from './same-database.ts'
import { telling } from './telling.ts'

/** In the order of the rows. */
export const behaviours: readonly Behaviour[] = [
  acquiring.late,
  acquiring.tie,
  acquiring.selfCollision,
  hanging.hungNode,
  hanging.hungMajority,
  hanging.hungRelease,
  hanging.hungExtend,
  leaving.lostReplies,
  leaving.lateExecution,
  acquiring.again,
  keeping.failingExtension,
  acquiring.quorum,
  keeping.hotLoop,
  leaving.abort,
  telling.reason,
  telling.remaining,
  keeping.ownError,
  extending.lateExtend,
  sameDatabase,
  extending.heal,
  extending.healTaken,
  telling.expiredRelease,
  acquiring.several,
  extending.fraction,
  extending.keepsOnFailure,
  telling.metadata,
]
