import type { MemoryEntry, MemoryServer } from '../../src/emulator/memory-server.ts'
import { runScript, type ScriptReply } from '../../src/emulator/run-script.ts'
import type { ScriptInput } from '../../src/protocol/script.ts'
import { InspectedNode } from './inspected-node.ts'

/** An object that is broken on purpose: it has its keys in memory alone, and forgets them when it is evicted. */
export class ForgetfulNode extends InspectedNode {
  readonly #server: MemoryServer = {
    entries: new Map<string, MemoryEntry>(),
    now: Date.now,
    run: () => 'run_id:1',
  }

  override async run(script: string, keys: string[], args: string[]): Promise<ScriptReply> {
    return runScript(this.#server, script, { keys, args: args as unknown as ScriptInput['args'] })
  }
}
