import type { Forget } from '../protocol/command.ts'
import { beginOf, type Reply } from '../protocol/reply.ts'
import { get, type MemoryServer, set } from './memory-server.ts'
import { fenceTtlOf, leftOf, type Other, otherOf, readFence, ttlOfReply } from './run-lock.ts'

// force-release.lua in TypeScript, with the same names and steps. The comments there explain why.

/** Removes one holder. */
export const runForget = (server: MemoryServer, command: Forget): Reply => {
  const { keys, fences, holder: wanted } = command
  const fenceTtl = fenceTtlOf(server, command)
  let isForgotten = false
  let isEndless = false
  let [left, counter] = [-1, 0]
  let other: Other | undefined
  for (const [index, key] of keys.entries()) {
    const fence = fences[index]
    const current = get(server, key)
    const { lastCounter } = readFence(fence === undefined ? undefined : get(server, fence))
    counter = Math.max(counter, lastCounter)
    if (current !== undefined && beginOf(current) !== wanted) {
      const life = leftOf(server, key)
      left = Math.max(left, life)
      isEndless ||= life < 0
      if (other?.status !== 'foreign') other = otherOf(current, life)
      continue
    }
    if (current !== undefined) {
      server.entries.delete(key)
      isForgotten = true
    }
    if (fence !== undefined) {
      const life = Math.max(fenceTtl, leftOf(server, fence))
      set(server, fence, `${lastCounter} -${wanted}`, life)
    }
  }
  const told = { counter, ttl: isEndless ? undefined : ttlOfReply(left) }
  if (isForgotten) return { status: 'forgotten', ...told }
  return other ? { ...other, ...told } : { status: 'absent', ...told }
}
