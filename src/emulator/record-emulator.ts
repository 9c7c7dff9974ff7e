import { echoOf, type Reply } from '../protocol/reply.ts'
import type { ScriptInput } from '../protocol/script.ts'
import { get, type MemoryServer, pttl, set } from './memory-server.ts'
import { beginScript, holderOf, readFence } from './script-emulator.ts'

// record.lua in TypeScript, with the same names and the same steps. Its comments say why.

/** The token of a record; undefined for a claim. */
const tokenOf = (text: string | undefined): number | undefined => {
  const [, token] = /^[^ ]* d (\d+) /.exec(text ?? '') ?? []
  return token === undefined ? undefined : Number(token)
}

/** The call as lock.lua would get it, and the record that it has besides. */
const splitCall = (call: ScriptInput): { call: ScriptInput; record: string } => {
  const [operation, owner, ttl, fenceTtl, minCounter, record = '', ...rest] = call.args
  return { call: { ...call, args: [operation, owner, ttl, fenceTtl, minCounter, ...rest] }, record }
}

/** Runs the record script on keys in memory. */
export const emulateRecord = (server: MemoryServer, given: ScriptInput): Reply => {
  const { call, record } = splitCall(given)
  const begun = beginScript(server, call)
  const { keys, identity } = begun
  const { operation, owner, value, ttl, fenceTtl, minCounter } = begun.given
  const [key, fenceKey, tombstone] = keys as [string, string, string]
  const reply = { echo: echoOf(call.args), identity }

  const current = get(server, key)
  const isTimed = operation === 'a' || current !== owner
  const left = isTimed ? Math.max(-1, Math.floor(pttl(server, key))) : -1
  const { lastCounter, lastValue } = readFence(get(server, fenceKey))
  const token = tokenOf(current)
  let counter = lastCounter
  let [status, holder]: [Reply['status'], string] = ['granted', '']
  if (current !== undefined && current !== owner) {
    status = 'locked'
    holder = holderOf(current, left)
  }

  if (get(server, tombstone) !== undefined) {
    status = 'absent'
    holder = ''
  } else if (operation === 'a' && (token !== undefined || status === 'granted')) {
    counter = Math.max(counter, token ?? 0)
    if (current !== owner && (lastValue !== value || token === undefined)) counter++
    counter = Math.max(counter, minCounter)
    let life = ttl
    if (token === undefined) {
      life = Math.max(ttl, pttl(server, key))
      set(server, key, owner, life)
    }
    set(server, fenceKey, `${counter} ${value}`, life + fenceTtl)
  } else if (operation === 'c') {
    if (current === record) {
      status = 'granted'
      holder = ''
    } else if (status === 'granted' || (token !== undefined && token < tokenOf(record)!)) {
      status = 'absent'
      holder = ''
      if (lastValue !== undefined && counter <= minCounter) {
        status = 'granted'
        set(server, key, record, ttl)
      }
    }
  }
  return { ...reply, status, left, holder, counter }
}
