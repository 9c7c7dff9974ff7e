import type { Fault } from './nemesis/fault.ts'
import { enterOwnNetwork, ownPacketFilter } from './network.ts'
import { findClockLibrary } from './nodes/clock.ts'

// What this machine allows the nemesis to do, beyond what any does. What it does not is said.

export type Means = {
  /** The program that drops packets, in a network that is ours. */
  readonly nft?: string | undefined
  /** The library that puts clocks on. */
  readonly clockLibrary?: string | undefined
}

type Say = (text: string) => void

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Finds it, or installs it first where that is ours to do. May start this program anew. */
export const findMeans = async (isProxied: boolean, say: Say): Promise<Means> => {
  const without = (what: string) => (error: unknown) => say(`${what}: ${reasonOf(error)}`)
  if (!isProxied) {
    await enterOwnNetwork().catch(without('Links fail by a proxy; packets are not dropped'))
  }
  const nft = isProxied ? undefined : await ownPacketFilter()
  const clockLibrary = await findClockLibrary().catch(
    without('The clocks of servers are left alone'),
  )
  return { nft, clockLibrary: clockLibrary ?? undefined }
}

/** The faults that can be done with them. */
export const possible = (faults: readonly Fault[], { clockLibrary }: Means): Fault[] =>
  faults.filter(({ kind }) => clockLibrary !== undefined || !kind.startsWith('clock'))
