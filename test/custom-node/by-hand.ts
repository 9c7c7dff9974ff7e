import type { LockNode } from 'edge-redlock/custom-node'

const statuses = {
  acquire: 'granted',
  extend: 'granted',
  inspect: 'held',
  release: 'released',
} as const

type Row = { readonly text: string; readonly endsAt: number }

/** Locks and throttles over a Map, with nothing of the package but its types. */
export const nodeByHand = (name: string): LockNode => {
  const rows = new Map<string, Row>()
  const read = (key: string | undefined): string | undefined => {
    const row = key === undefined ? undefined : rows.get(key)
    return row && Date.now() <= row.endsAt ? row.text : undefined
  }
  const write = (key: string, text: string, ttl: number): void =>
    void rows.set(key, { text, endsAt: Date.now() + ttl })
  return {
    name,
    run: async (command, options) => {
      const { op } = command
      if (op !== 'acquire' && op !== 'extend' && op !== 'inspect' && op !== 'release')
        throw new Error(`no ${op} here`)
      const { keys, fences, tombstone, identity, owner, value, fenceTtl } = command
      const id = read(identity) ?? options.serverId
      if (id !== undefined) write(identity, id, Infinity)
      const now = Date.now()
      let [counter, rise, left, isHeld] = [0, 0, -1, read(tombstone) === undefined]
      let canWrite = isHeld && (op === 'acquire' || op === 'extend')
      let minCounter = op === 'acquire' || op === 'extend' ? command.minCounter : 0
      if (op === 'acquire') minCounter = Math.max(now - 5_000, Math.min(now + 5_000, minCounter))
      let other: string | undefined
      let isForeign = false
      for (const [index, key] of keys.entries()) {
        const current = read(key)
        const [, last, lastValue] = /^(\d+) (.*)/s.exec(read(fences[index]) ?? '') ?? []
        counter = Math.max(counter, Number(last ?? 0))
        if (current === undefined) {
          rise = 1
          if (canWrite && (op === 'acquire' || lastValue === value)) continue
          isHeld = false
          // Nobody knows who had the key: it may be restored, and does not count.
          canWrite &&= lastValue === undefined
          if (canWrite) minCounter = Math.max(minCounter, now)
        } else if (op === 'release' && current === owner) {
          rows.delete(key)
          if (last !== undefined) write(fences[index]!, `${last} ${lastValue}`, fenceTtl)
        } else {
          left = Math.max(left, Math.floor(rows.get(key)!.endsAt - now))
          if (current === owner) continue
          ;[canWrite, other] = [false, current]
          isForeign ||= !/^[\da-z]{8}(-[\da-z]+){4}( |$)/i.test(current) || left === Infinity
        }
      }
      if (op === 'release') write(tombstone, '', command.tombstoneTtl)
      if (canWrite && 'ttl' in command) {
        counter = Math.max(counter + rise, minCounter)
        const life = Math.max(command.ttl, left)
        for (const [index, key] of keys.entries()) {
          write(key, owner, life)
          if (fences[index]) write(fences[index], `${counter} ${value}`, life + fenceTtl)
        }
      }
      const isEndless = left < 0 || left === Infinity
      const told = { counter, ttl: isEndless ? undefined : left, server: id }
      if (isForeign) return { status: 'foreign', ...told }
      if (other !== undefined) {
        const [secret = '', ...rest] = other.split(' ')
        const metadata = rest.join(' ') || undefined
        return { status: 'locked', holder: secret.slice(0, 8), metadata, ...told }
      }
      return { status: isHeld ? statuses[op] : 'absent', ...told }
    },
  }
}
