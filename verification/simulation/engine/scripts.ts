import { forceReleaseScript } from '../../../src/protocol/force-release-script.ts'
import { lockScript } from '../../../src/protocol/lock-script.ts'
import { recordScript } from '../../../src/protocol/record-script.ts'
import type { Reply } from '../../../src/protocol/reply.ts'
import type { Script, ScriptCall } from '../../../src/protocol/script.ts'
import { slotScript } from '../../../src/protocol/slot-script.ts'
import { waitScript } from '../../../src/protocol/wait-script.ts'
import { wakingReleaseScript } from '../../../src/protocol/waking-release-script.ts'
import { emulateForceRelease } from '../../../src/emulator/force-release-emulator.ts'
import type { MemoryServer } from '../../../src/emulator/memory-server.ts'
import { checkQuarantine } from '../../../src/emulator/quarantine-emulator.ts'
import { emulateRecord } from '../../../src/emulator/record-emulator.ts'
import { emulateScript } from '../../../src/emulator/script-emulator.ts'
import { emulateSlot } from '../../../src/emulator/slot-emulator.ts'
import { emulateWakingRelease } from '../../../src/emulator/wait-emulator.ts'
import { volatileScript } from '../../../src/quarantine/volatile-script.ts'

/** The scripts that act on the owner of a lock, and their emulators. */
const emulators: ReadonlyMap<Script, (server: MemoryServer, call: ScriptCall) => Reply> = new Map([
  [lockScript, emulateScript],
  [forceReleaseScript, emulateForceRelease],
  [recordScript, emulateRecord],
  [slotScript, emulateSlot],
  [wakingReleaseScript, emulateWakingRelease],
])

/** The same scripts, by what a volatile node runs. */
const volatileScripts: ReadonlyMap<Script, Script> = new Map(
  Array.from(emulators.keys(), (script) => [volatileScript(script)!, script]),
)

/** Runs a script. @returns the call as a node that is not volatile would have got it, and the reply. */
export const execute = (server: MemoryServer, given: ScriptCall): readonly [ScriptCall, Reply] => {
  const script = volatileScripts.get(given.script)
  if (!script) return [given, emulators.get(given.script)!(server, given)]
  const { call: rest, abstention } = checkQuarantine(server, given)
  const call = { ...rest, script }
  return [call, abstention ?? emulators.get(script)!(server, call)]
}

const scripts: readonly Script[] = [...emulators.keys(), ...volatileScripts.keys(), waitScript]
const bySha: ReadonlyMap<string, Script> = new Map(scripts.map((script) => [script.sha, script]))

/** The script that a command names, by its source or by its hash. */
export const findScript = (command: 'EVAL' | 'EVALSHA', text: string): Script | undefined =>
  command === 'EVALSHA' ? bySha.get(text) : scripts.find(({ source }) => source === text)
