import type { ReplyTuple } from '../../../tools/redis-wire.ts'
import type { Reply, Server } from '../../../verification/simulation/engine/server.ts'

// What the scripts of the package `redlock` do on a server, in the words of our own commands, which the notes read.

const name = 'redlock'

/** A command of `redlock` on the wire: to acquire or to release. */
export const commandOfRedlock = (
  operation: 'a' | 'r',
  key: string,
  value: string,
  ttl: number,
): string => JSON.stringify(['EVALSHA', name, '1', key, operation, value, `${ttl}`])

export const isOfRedlock = (words: readonly string[]): boolean => words[1] === name

/** Sets the key if it does not exist, or deletes it if it has this value. */
export const runRedlock = ({ entries, wall }: Server, words: readonly string[]): Reply => {
  const [key = '', operation, value = '', ttl] = words.slice(3)
  const found = entries.get(key)
  const held = found && wall() <= found.expiresAt ? found.value : undefined
  const answer = (status: ReplyTuple[1]): Reply => {
    const result: ReplyTuple = [`${operation}${value}`, status, 0, held ?? '', 0]
    return { status: 200, body: JSON.stringify({ result }) }
  }
  if (operation === 'r') {
    if (held !== value) return answer('absent')
    entries.delete(key)
    return answer('granted')
  }
  if (held !== undefined) return answer('locked')
  entries.set(key, { value, expiresAt: wall() + Number(ttl) })
  return answer('granted')
}
