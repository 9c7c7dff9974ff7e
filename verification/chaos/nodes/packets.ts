import { execa } from 'execa'
import type { LinkFault } from './link.ts'

// Faults of links that the kernel does, by nftables: packets to and from a port are dropped as they
// come in, in silence. What becomes of a connection is up to TCP: it sends again, for as long as it
// takes, also for a process that is dead. Only for a network that is ours alone.

export type PacketFilter = {
  /** Whether it can do this kind of fault. */
  readonly does: (kind: LinkFault['kind']) => boolean
  readonly set: (ports: readonly number[], fault?: LinkFault) => Promise<void>
}

const kinds: ReadonlySet<LinkFault['kind']> = new Set(['loss', 'partition', 'replies held'])

const rulesOf = (port: number, { kind, amount }: LinkFault): string[] => {
  const share = Math.round(10_000 * amount)
  const some = kind === 'loss' ? `numgen random mod 10000 < ${share} ` : ''
  // Connections are made all the same: else no request would arrive.
  if (kind === 'replies held') return [`tcp sport ${port} tcp flags & syn == 0 drop`]
  return ['dport', 'sport'].map((end) => `tcp ${end} ${port} ${some}drop`)
}

/** The whole table, replaced in one step. */
const tableOf = (drops: ReadonlyMap<number, LinkFault>): string => `
table inet chaos
delete table inet chaos
table inet chaos {
  chain incoming {
    type filter hook input priority filter; policy accept;
    ${[...drops].flatMap(([port, drop]) => rulesOf(port, drop)).join('\n    ')}
  }
}
`

/** A filter, by the `nft` of this file. It rejects where that says no. */
export const makePacketFilter = (nft: string): PacketFilter => {
  const drops = new Map<number, LinkFault>()
  // One at a time: the last that is set is what counts.
  let before: Promise<unknown> = Promise.resolve()
  return {
    does: (kind) => kinds.has(kind),
    set: async (ports, fault) => {
      for (const port of ports) {
        if (fault) drops.set(port, fault)
        else drops.delete(port)
      }
      const mine = before.then(() => execa(nft, ['-f', '-'], { input: tableOf(drops) }))
      before = mine.catch(() => {})
      await mine
    },
  }
}
