import { ExecaError } from 'execa'
import type { Fault } from '../nemesis/fault.ts'
import { findClockLibrary } from '../nodes/clock.ts'
import { enterOwnNetwork, ownPacketFilter } from './network.ts'

/** The faults that this machine supports, in addition to those that every machine supports. */
export type Capabilities = {
  /** The `nft` that drops packets, in a network namespace of our own. */
  readonly nft?: string | undefined
  /** The library that steps clocks. */
  readonly clockLibrary?: string | undefined
}

/** The last line that a failed program printed, or the error. */
const reasonOf = (error: unknown): string => {
  const printed = error instanceof ExecaError ? String(error.stderr).trim().split('\n').at(-1) : ''
  return printed || (error instanceof Error ? error.message : String(error))
}

/**
 * Detects the capabilities, and reports the missing ones. Installs missing programs if that is allowed. Can restart
 * this program in a network namespace.
 */
export const findCapabilities = async (options: {
  readonly isProxied: boolean
  readonly hasClocks: boolean
  readonly say: (text: string) => void
}): Promise<Capabilities> => {
  const { isProxied, hasClocks, say } = options
  const report = (what: string) => (error: unknown) => say(`${what}: ${reasonOf(error)}`)
  // Install packages first, because this is impossible inside the namespace.
  const findLibrary = hasClocks ? findClockLibrary() : Promise.resolve(undefined)
  const clocks = await findLibrary.then(
    (library) => ({ library }),
    (error: unknown) => ({ error }),
  )
  if (!isProxied) {
    await enterOwnNetwork().catch(report('Links fail by a proxy; packets are not dropped'))
  }
  const nft = isProxied ? undefined : await ownPacketFilter()
  // Report this after the restart. Otherwise, it would be reported twice.
  if ('error' in clocks) report('The clocks of servers are left alone')(clocks.error)
  return { nft, clockLibrary: 'library' in clocks ? clocks.library : undefined }
}

/** The faults that these capabilities support. */
export const possibleFaults = (faults: readonly Fault[], { clockLibrary }: Capabilities): Fault[] =>
  faults.filter(({ kind }) => clockLibrary !== undefined || !kind.startsWith('clock'))
