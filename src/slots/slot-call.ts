import { keyLockingSlotScript, slotScript } from '../protocol/slot-script.ts'
import type { Script, ScriptCall } from '../protocol/script.ts'
import type { Lease } from '../quorum/lease.ts'
import { scriptCall } from '../quorum/script-call.ts'

const script: Script = { ...slotScript, keyLocking: keyLockingSlotScript }

/** The slots that a call asks for: the first free one from a number on, or only one. */
export type Wanted = `any ${number}` | `only ${number}`

/** The name of a slot: that of a lock, whose nodes it shares. */
export const slotKey = (key: string, slot: number): string => `${key}#${slot}`

/** A call of the slot script, for a lease whose keys are those of all slots. */
export const slotCall = (lease: Lease, wanted: Wanted, minCounter: number): ScriptCall => {
  const call = scriptCall(lease, 'a', lease.ttl, minCounter)
  const args = [...call.args, wanted] as unknown as ScriptCall['args']
  return { ...call, script, namesHolders: true, args }
}
