import { echoOf, type Reply } from '../protocol/reply.ts'
import type { ScriptInput } from '../protocol/script.ts'
import { get, type MemoryServer, pttl, set } from './memory-server.ts'
import { beginOf, beginScript, holderOf, readFence } from './script-emulator.ts'

// force-release.lua in TypeScript, with the same names and the same steps. Its comments say why.

/** Runs the script of a release by force on keys in memory. */
export const emulateForceRelease = (server: MemoryServer, given: ScriptInput): Reply => {
  const [operation, owner, ttl, fenceLife, minCounter, wanted = '', ...rest] = given.args
  const args = [operation, owner, ttl, fenceLife, minCounter, ...rest] as const
  const { keys, identity, given: read } = beginScript(server, { ...given, args })
  const { stride, fenceTtl } = read
  keys.pop()
  let status: Reply['status'] = 'absent'
  let [left, counter, holder, isEndless] = [-1, 0, '', false]
  for (let index = 0; index < keys.length; index += stride) {
    const key = keys[index]!
    const current = get(server, key)
    const { lastCounter } = readFence(stride === 2 ? get(server, keys[index + 1]!) : '')
    counter = Math.max(counter, lastCounter)
    if (current !== undefined && beginOf(current) !== wanted) {
      const life = Math.floor(pttl(server, key))
      left = Math.max(left, life)
      isEndless ||= life < 0
      if (holder !== 'hforeign') holder = holderOf(current, life)
      continue
    }
    if (current !== undefined) {
      server.entries.delete(key)
      status = 'granted'
    }
    if (stride === 2) {
      const life = Math.max(fenceTtl, Math.floor(pttl(server, keys[index + 1]!)))
      set(server, keys[index + 1]!, `${lastCounter} -${wanted}`, life)
    }
  }
  if (holder !== '' && status === 'absent') status = 'locked'
  else holder = ''
  if (isEndless) left = -1
  return { echo: echoOf(args), status, left, holder, counter, identity }
}
