import { beforeAll, vi } from 'vitest'
import type { RedlockOptions } from '../../../src/index.ts'
import type { NodeKind } from '../../support/node-kind.ts'
import { abortTests } from './abort.ts'
import { acquireTests } from './acquire.ts'
import { adoptTests } from './adopt.ts'
import { checkTests } from './check.ts'
import { contentionTests } from './contention.ts'
import { eventTests } from './events.ts'
import { extendTests } from './extend.ts'
import { fencingRecoveryTests } from './fencing-recovery.ts'
import { fencingTokenTests } from './fencing-token.ts'
import { footprintTests } from './footprint.ts'
import { inspectTests } from './inspect.ts'
import { keepAliveTests } from './keep-alive.ts'
import { keyNameTests } from './key-name.ts'
import { knownBugTests } from './known-bugs.ts'
import { lostReplyTests } from './lost-replies.ts'
import { nodeIdentityTests } from './node-identity.ts'
import { outageTests } from './outage.ts'
import { reenterTests } from './reenter.ts'
import { releaseTests } from './release.ts'
import { restoreTests } from './restore.ts'
import { throttleTests } from './throttle.ts'
import { usingTests } from './using.ts'
import { validityTests } from './validity.ts'
import { waitQueueTests } from './wait-queue.ts'
import { setUp } from './setup.ts'

const tests = [
  acquireTests,
  contentionTests,
  validityTests,
  outageTests,
  lostReplyTests,
  releaseTests,
  extendTests,
  restoreTests,
  abortTests,
  usingTests,
  keepAliveTests,
  inspectTests,
  adoptTests,
  reenterTests,
  keyNameTests,
  waitQueueTests,
  knownBugTests,
  eventTests,
  nodeIdentityTests,
  fencingTokenTests,
  fencingRecoveryTests,
  footprintTests,
  throttleTests,
  checkTests,
]

/**
 * The behaviour that a lock must have for every kind of node, over every transport (`connect`) and in
 * every runtime. One file per subject. `servers` are five independent ones, whose `command` shows what
 * is really stored. `common` are options of all clients.
 */
export const conformance = (
  name: string,
  { servers, connect }: Pick<NodeKind, 'servers' | 'connect'>,
  common: Partial<RedlockOptions> = {},
): void => {
  // Some tests use two nodes, which causes a warning.
  beforeAll(() => void vi.spyOn(console, 'warn').mockImplementation(() => {}))
  const setup = setUp(name, servers, connect, common)
  for (const test of tests) test(setup)
}
