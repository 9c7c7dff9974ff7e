import { readlinkSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { execa } from 'execa'
import { ensureTools } from '../../../tools/release/ensure-tools.ts'

// A Linux network namespace with only a loopback interface. Its packet filters affect no other process, and it ends
// with its last process.

// Contains the namespace in which the program was started, to distinguish it from the new one.
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
 * Replaces this process with the same program in a new network namespace. Returns only if the process already runs in
 * such a namespace.
 *
 * @throws an error with the reason if this machine does not allow namespaces.
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
  // First try all kernel features that the campaign needs, in a short-lived process.
  const trial = 'add table inet t; add chain inet t i { type filter hook input priority 0; }'
  const rule = 'add rule inet t i tcp dport 1 numgen random mod 10000 < 1 drop'
  await execa(unshare, [...options, `${up} && '${nft}' '${trial}; ${rule}'`])
  const [node, ...flags] = [process.execPath, ...process.execArgv]
  const words = ['sh', node, ...flags, ...process.argv.slice(1)]
  process.execve!(unshare, ['unshare', ...options, `${up} && exec "$@"`, ...words], {
    ...process.env,
    [marker]: current(),
    // Inside the namespace, downloads are impossible, and a mapped root user cannot install packages.
    EDGE_REDLOCK_INSTALL: 'never',
  })
}
