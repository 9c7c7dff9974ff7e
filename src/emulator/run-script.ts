import type { CheckReplyTuple } from '../protocol/check-reply.ts'
import { type Reply, type ReplyTuple, writeReply } from '../protocol/reply.ts'
import { scriptNames } from '../protocol/script-names.ts'
import type { ScriptInput } from '../protocol/script.ts'
import { emulateCheck } from './check-emulator.ts'
import { emulateForceRelease } from './force-release-emulator.ts'
import type { MemoryServer } from './memory-server.ts'
import { emulateRecord } from './record-emulator.ts'
import { emulateScript } from './script-emulator.ts'
import { emulateSlot } from './slot-emulator.ts'
import { emulateWait, emulateWakingRelease, type WaitReplyTuple } from './wait-emulator.ts'

/** The reply of a script, as it goes over the wire. */
export type ScriptReply = ReplyTuple | CheckReplyTuple | WaitReplyTuple

type Emulate = (server: MemoryServer, input: ScriptInput) => ScriptReply

const replying =
  (emulate: (server: MemoryServer, input: ScriptInput) => Reply): Emulate =>
  (server, input) =>
    writeReply(emulate(server, input))

/** The emulators by the names of their scripts. */
const emulators: Readonly<Record<string, Emulate>> = {
  check: emulateCheck,
  'force-release': replying(emulateForceRelease),
  lock: replying(emulateScript),
  record: replying(emulateRecord),
  slot: replying(emulateSlot),
  wait: emulateWait,
  'waking-release': replying(emulateWakingRelease),
}

/**
 * Runs the script with this hash on the keys of a server, without waiting for anything.
 *
 * @throws when there is no emulator of it.
 */
export const runScript = (server: MemoryServer, sha: string, input: ScriptInput): ScriptReply => {
  const emulate = emulators[scriptNames.get(sha) ?? '']
  if (!emulate) throw new Error('The node has no emulator of this script')
  return emulate(server, input)
}
