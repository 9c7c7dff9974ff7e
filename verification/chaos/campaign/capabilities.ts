import { ExecaError } from 'execa'
import type { Fault } from '../nemesis/fault.ts'
import { findClockLibrary } from '../nodes/clock.ts'
import { enterOwnNetwork, ownPacketFilter } from './network.ts'

// What this machine allows the nemesis to do, beyond what any does. What it does not is said.

export type Means = {
  /** The program that drops packets, in a network that is ours. */
  readonly nft?: string | undefined
  /** The library that puts clocks on. */
  readonly clockLibrary?: string | undefined
}

/** What a program said last, or else the error. */
const reasonOf = (error: unknown): string => {
  const said = error instanceof ExecaError ? String(error.stderr).trim().split('\n').at(-1) : ''
  return said || (error instanceof Error ? error.message : String(error))
}

/** Finds it, or installs it first where that is ours to do. May start this program anew. */
export const findMeans = async (options: {
  readonly isProxied: boolean
  readonly hasClocks: boolean
  readonly say: (text: string) => void
}): Promise<Means> => {
  const { isProxied, hasClocks, say } = options
  const without = (what: string) => (error: unknown) => say(`${what}: ${reasonOf(error)}`)
  // What has to be installed is so before: a network of our own leads nowhere.
  const findClocks = hasClocks ? findClockLibrary() : Promise.resolve(undefined)
  const clocks = await findClocks.then(
    (library) => ({ library }),
    (error: unknown) => ({ error }),
  )
  if (!isProxied) {
    await enterOwnNetwork().catch(without('Links fail by a proxy; packets are not dropped'))
  }
  const nft = isProxied ? undefined : await ownPacketFilter()
  // Not before: the program may have started anew, and would say it twice.
  if ('error' in clocks) without('The clocks of servers are left alone')(clocks.error)
  return { nft, clockLibrary: 'library' in clocks ? clocks.library : undefined }
}

/** The faults that can be done with them. */
export const possible = (faults: readonly Fault[], { clockLibrary }: Means): Fault[] =>
  faults.filter(({ kind }) => clockLibrary !== undefined || !kind.startsWith('clock'))
