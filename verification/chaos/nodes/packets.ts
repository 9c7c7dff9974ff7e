import { execa } from 'execa'
import type { LinkFault } from './link.ts'

// Link faults with nftables: the kernel silently drops incoming packets to and from a port. TCP retransmits them for as
// long as the fault lasts, even for a process that was killed. Use this only in a separate network namespace.

export type PacketFilter = {
  /** Whether the filter supports this kind of fault. */
  readonly does: (kind: LinkFault['kind']) => boolean
  readonly set: (ports: readonly number[], fault?: LinkFault) => Promise<void>
}

const kinds: ReadonlySet<LinkFault['kind']> = new Set(['loss', 'partition', 'replies held'])

const rulesOf = (port: number, { kind, amount }: LinkFault): string[] => {
  const share = Math.round(10_000 * amount)
  const some = kind === 'loss' ? `numgen random mod 10000 < ${share} ` : ''
  // Let handshakes pass. Otherwise, no request would arrive.
  if (kind === 'replies held') return [`tcp sport ${port} tcp flags & syn == 0 drop`]
  return ['dport', 'sport'].map((end) => `tcp ${end} ${port} ${some}drop`)
}

/** The commands that replace the whole table in one transaction. */
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

/** Creates a filter with the program `nft`. `set` rejects if that fails. */
export const makePacketFilter = (nft: string): PacketFilter => {
  const drops = new Map<number, LinkFault>()
  // Make one change at a time, so that the last one takes effect.
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
