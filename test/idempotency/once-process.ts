import { appendFileSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { once } from '../../src/entries/idempotency.ts'
import { fromEnv, isLockedError } from '../../src/index.ts'
import { settingsFromParent } from '../../tools/child-process.ts'

// A process that calls `once` for many keys, several at a time, and may be killed at any moment. It appends each
// effect, and each value that it got, to a file. The next process with the same files goes on with the other keys.

export type Settings = {
  readonly name: string
  readonly nodes: string
  readonly keys: readonly string[]
  readonly ttl: number
  /** The number of the effect after which the process kills itself; 0 for none. */
  readonly dieAfter: number
  /** Lines of `KEY VALUE`; an effect has the name of its process as well. */
  readonly effects: string
  readonly values: string
}

const atOnce = 16

const { name, nodes, keys, ttl, dieAfter, effects, values } = await settingsFromParent<Settings>()
const redlock = fromEnv({ REDLOCK_NODES: nodes })

let effectCount = 0

const valueOf = async (key: string): Promise<string> => {
  for (;;) {
    try {
      return await once(redlock, key, { keepFor: 3_600_000, wait: 60_000, ttl }, async () => {
        const value = crypto.randomUUID()
        appendFileSync(effects, `${key} ${value} ${name}\n`)
        effectCount++
        if (effectCount === dieAfter) process.kill(process.pid, 'SIGKILL')
        await sleep(20 * Math.random())
        return value
      })
    } catch (error) {
      // The last process to die held the key for longer than the wait.
      if (!isLockedError(error)) throw error
    }
  }
}

const known = new Set(readFileSync(values, 'utf8').split(/[ \n]/))
const left = keys.filter((key) => !known.has(key)).values()
const work = async (): Promise<void> => {
  for (const key of left) appendFileSync(values, `${key} ${await valueOf(key)}\n`)
}
process.send!({ type: 'up' })
await Promise.all(Array.from({ length: atOnce }, work))
process.disconnect()
