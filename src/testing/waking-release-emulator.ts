import type { Reply } from '../protocol/reply.ts'
import type { ScriptCall } from '../protocol/script.ts'
import type { MemoryServer } from './memory-server.ts'
import { emulateScript } from './script-emulator.ts'

/**
 * Runs the script of a release that wakes a waiter. A node in memory does not stream, so nobody waits in the
 * queue, which is the first key, and the release is that of the lock script.
 */
export const emulateWakingRelease = (server: MemoryServer, call: ScriptCall): Reply =>
  emulateScript(server, { ...call, keys: call.keys.slice(1) })
