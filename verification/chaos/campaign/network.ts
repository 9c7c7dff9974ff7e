import { readlinkSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { execa } from 'execa'
import { ensureTools } from '../../../tools/release/ensure-tools.ts'

// A network namespace of Linux with nothing but a loopback interface. Packet filters in it affect
// nobody else, and it ends with its last process.

// Names the namespace that the program was started in, so that it can tell its own from that.
const marker = 'EDGE_REDLOCK_CHAOS_OUTSIDE'
const current = (): string => readlinkSync('/proc/self/ns/net')

const entrance = [{ names: ['unshare'], packages: ['util-linux'] }] as const
const tools = [
  { names: ['ip'], packages: ['iproute2'] },
  { names: ['nft'], packages: ['nftables'] },
] as const

const advice = `that takes Linux, and unshare, ip and nft on PATH (Debian, Ubuntu: sudo apt-get install util-linux iproute2 nftables)`

/** The `nft` to use; undefined outside a namespace of our own. */
export const ownPacketFilter = async (): Promise<string | undefined> => {
  const outside = process.env[marker]
  const isAlone = Object.keys(networkInterfaces()).every((name) => name === 'lo')
  if (!outside || outside === current() || !isAlone) return undefined
  const [, nft] = await ensureTools(tools, advice)
  return nft
}

/**
 * Replaces this process by the same program in a new network namespace. Returns only if it runs in
 * one already.
 *
 * @throws with the reason if this machine does not allow it.
 */
export const enterOwnNetwork = async (): Promise<void> => {
  if (process.env[marker]) return
  if (process.platform !== 'linux') throw new Error(advice)
  const [unshare] = (await ensureTools(entrance, advice)) as [string]
  const isRoot = process.getuid?.() === 0
  const options = ['--net', ...(isRoot ? [] : ['--map-root-user']), '--', 'sh', '-c']
  await execa(unshare, [...options, 'true'])
  const [ip, nft] = (await ensureTools(tools, advice)) as [string, string]
  const up = `'${ip}' link set lo up`
  // A short-lived process tries everything that will be asked of the kernel.
  const trial = 'add table inet t; add chain inet t i { type filter hook input priority 0; }'
  const rule = 'add rule inet t i tcp dport 1 numgen random mod 10000 < 1 drop'
  await execa(unshare, [...options, `${up} && '${nft}' '${trial}; ${rule}'`])
  const [node, ...flags] = [process.execPath, ...process.execArgv]
  const words = ['sh', node, ...flags, ...process.argv.slice(1)]
  process.execve!(unshare, ['unshare', ...options, `${up} && exec "$@"`, ...words], {
    ...process.env,
    [marker]: current(),
    // Nothing can be downloaded in there, and a mapped root user has no rights to install.
    EDGE_REDLOCK_INSTALL: 'never',
  })
}
