import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startChild } from '../../tools/child-process.ts'
import { startCluster } from '../../tools/servers/cluster.ts'
import type { Settings } from './once-process.ts'

// Processes call `once` for the same keys, over real servers. Every other one dies in a run, the others at random.
// ONCE_KEYS=10000 npm test -- test/idempotency/once-crashes.slow.test.ts

const count = Number(process.env['ONCE_KEYS'] ?? 800)
const slots = 3
/** How often the process of each slot is killed. */
const kills = Math.max(4, Math.ceil(count / 400))
// Ms between the start of a process and its end.
const [minLife, maxLife] = [50, 1_000]
// Of a process that dies in a run.
const maxEffects = 20
// A process that merely stands still, as on a busy machine, must not count as one that has died.
const ttl = 5_000

const file = resolve(import.meta.dirname, 'once-process.ts')
const keys = Array.from({ length: count }, (_, index) => `key-${index}`)

const linesOf = async (path: string): Promise<string[][]> => {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1)
  return lines.map((line) => line.split(' '))
}

/** Runs the keys of a slot to their end, in one process after the other. */
const runSlot = async (
  settings: Omit<Settings, 'dieAfter'>,
  killed: Set<string>,
): Promise<void> => {
  for (let generation = 0; ; generation++) {
    const name = `${settings.name}.${generation}`
    const isLast = generation === kills
    const diesInRun = !isLast && generation % 2 === 0
    const dieAfter = diesInRun ? 1 + Math.floor(Math.random() * maxEffects) : 0
    const child = await startChild(file, { ...settings, name, dieAfter })
    if (isLast) return expect(await child.ended).toBe(0)
    const life = minLife + Math.random() * (maxLife - minLife)
    const end = new AbortController()
    const died = diesInRun
      ? undefined
      : sleep(life, undefined, { signal: end.signal }).then(child.end, () => {})
    const how = await child.ended
    end.abort()
    await died
    if (how === 0) return
    expect(how).toBe('SIGKILL')
    killed.add(name)
  }
}

it(`${count} keys: each has one value, and no more effects than crashes and one`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'once-'))
  const cluster = await startCluster({ count: 3 })
  try {
    const effects = join(directory, 'effects')
    await writeFile(effects, '')
    const valuesOf = (slot: number): string => join(directory, `values-${slot}`)
    const killed = new Set<string>()
    const start = async (_: unknown, slot: number): Promise<void> => {
      const values = valuesOf(slot)
      await writeFile(values, '')
      // Each slot begins elsewhere, and soon they all meet.
      const own = [...keys.slice(slot * 50), ...keys.slice(0, slot * 50)]
      const nodes = cluster.env.REDLOCK_NODES
      await runSlot({ name: `p${slot}`, nodes, keys: own, ttl, effects, values }, killed)
    }
    await Promise.all(Array.from({ length: slots }, start))

    const seen = new Map<string, Set<string>>()
    for (const slot of Array.from({ length: slots }).keys()) {
      const values = await linesOf(valuesOf(slot))
      expect(new Set(values.map(([key]) => key)).size).toBe(count)
      for (const [key, value] of values) seen.set(key!, (seen.get(key!) ?? new Set()).add(value!))
    }
    const twoValues = [...seen].filter(([, values]) => values.size > 1)
    // An effect counts, unless its process was killed before anybody got its value.
    const counted = new Map<string, number>()
    let crashes = 0
    for (const [key, value, process] of await linesOf(effects)) {
      const isCrash = killed.has(process!) && !seen.get(key!)!.has(value!)
      if (isCrash) crashes++
      else counted.set(key!, (counted.get(key!) ?? 0) + 1)
    }
    const wrong = keys.filter((key) => counted.get(key) !== 1)
    console.log(
      `${count} keys, ${killed.size} processes killed: ${twoValues.length} with two values, ${wrong.length} with more effects than crashes and one, ${crashes} effects of crashes`,
    )
    expect(twoValues).toEqual([])
    expect(wrong).toEqual([])
    expect(crashes).toBeGreaterThan(0)
  } finally {
    await cluster.close()
    await rm(directory, { recursive: true })
  }
}, 1_200_000)
