import { echoOf, type Reply, writeReply } from '../protocol/reply.ts'
import type { ScriptInput } from '../protocol/script.ts'
import { shasWithPrelude } from '../quarantine/prelude.ts'
import { get, type MemoryServer, set } from './memory-server.ts'
import { runScript, type ScriptReply } from './run-script.ts'
import { identify } from './script-emulator.ts'

// quarantine.lua in TypeScript. Its comments say why.

/** A call of a volatile node after quarantine.lua. */
export type Checked = {
  /** The call as the script that follows gets it. */
  readonly call: ScriptInput
  /** The reply of a server that abstains. */
  readonly abstention?: Reply
}

/** Names the facts that a quarantine needs and the server lacks. */
const lackingOf = (
  { refuses }: MemoryServer,
  withoutRunId: boolean,
): 'TIME' | 'run_id' | undefined => {
  if (refuses?.includes('TIME')) return 'TIME'
  return refuses?.includes('INFO') && !withoutRunId ? 'run_id' : undefined
}

/** Has it restarted, or was it promoted? @returns ms until the quarantine ends; not positive once it has ended. */
const quarantineLeft = (server: MemoryServer, key: string, quarantine: number): number => {
  const now = server.now()
  const refusesInfo = server.refuses?.includes('INFO')
  const run = refusesInfo ? '-' : server.run()
  const reported = refusesInfo ? undefined : server.history?.()
  const [lastRun, lastEnd, lastHistory = ''] = (get(server, key) ?? '').split(' ')
  const history = reported?.id ?? lastHistory
  const continues = history === lastHistory || lastHistory === '' || !reported?.isPromoted
  const isKnown = lastRun === run && continues
  const quarantineEnd = isKnown ? Number(lastEnd) : now + quarantine
  const left = quarantineEnd - now
  if (!isKnown || (left <= 0 && history !== lastHistory)) {
    set(server, key, [run, quarantineEnd, history].join(' ').trimEnd())
  }
  return left
}

/** Runs quarantine.lua on keys in memory. */
export const checkQuarantine = (server: MemoryServer, given: ScriptInput): Checked => {
  const keys = given.keys.slice(0, -1)
  const args = given.args.slice(0, -2) as unknown as ScriptInput['args']
  const [quarantine, withoutRunId] = given.args.slice(-2)
  const identity = identify(server, keys.at(-1)!, args.at(-1)!)
  const lacking = lackingOf(server, withoutRunId !== '')
  const left = lacking ? -1 : quarantineLeft(server, given.keys.at(-1)!, Number(quarantine))
  const abstains = args[0] !== 'r' && (lacking || left > 0)
  const call = { keys, args }
  if (!abstains) return { call }
  const status = lacking ? 'unfit' : 'quarantined'
  const holder = lacking ?? ''
  return { call, abstention: { echo: echoOf(args), status, left, holder, counter: 0, identity } }
}

/** The hashes of scripts, by those of what a volatile node runs. */
const hashes = new Map([...shasWithPrelude].map(([sha, own]) => [own, sha]))

/** Runs a script as `runScript` does, also one with quarantine.lua before it. */
export const runVolatileScript = (
  server: MemoryServer,
  sha: string,
  input: ScriptInput,
): ScriptReply => {
  const plain = hashes.get(sha)
  if (plain === undefined) return runScript(server, sha, input)
  const { call, abstention } = checkQuarantine(server, input)
  return abstention ? writeReply(abstention) : runScript(server, plain, call)
}
