import type { MemoryEntry } from '../../memory-server.ts'
import { runCommand } from '../../run-command.ts'
import type { Command } from '../../../protocol/command.ts'
import type { Reply } from '../../../protocol/reply.ts'
import type { Bench } from './bench.ts'

// The reference is the implementation of the protocol over a Map. Its clock has the same offset as the node's clock.

/** How far a node's clock can differ from its clients' clocks, in ms. */
export const clockTolerance = 5_000

/** A reply whose fields are accessed by name. */
type Fields = Readonly<Record<string, unknown>>

const exactFields = ['status', 'holder', 'metadata', 'slot', 'wasForced', 'because'] as const

const isNear = (one: unknown, other: unknown, tolerance: number): boolean =>
  one === other || Math.abs(Number(one) - Number(other)) <= tolerance

/** The allowed differences between the numbers in a reply and in the expected reply. */
export type Tolerances = {
  /** The allowed difference of TTLs, in ms, which covers the time of the requests. */
  readonly ttl: number
  /** The allowed difference of counters, which follow the node's clock in some cases. */
  readonly counter: number
}

/** The name of the first field that differs from the expected reply; undefined if no field does. */
const differenceOf = (
  own: Fields,
  expected: Fields,
  tolerances: Tolerances,
): string | undefined => {
  const [holders, wanted] = [own, expected].map((reply) => JSON.stringify(reply['holders']))
  if (own['ttl'] !== undefined && !Number.isSafeInteger(own['ttl'])) return 'ttl'
  // For slots, `holder` is the holder whose slot expires first. It is not compared, because two slots can expire within
  // the same millisecond.
  const isOpen = (field: string): boolean => field === 'holder' && wanted !== undefined
  return (
    exactFields.find((field) => own[field] !== expected[field] && !isOpen(field)) ??
    (['ttl', 'counter'] as const).find(
      (field) => !isNear(own[field], expected[field], tolerances[field]),
    ) ??
    (holders === wanted ? undefined : 'holders')
  )
}

/** Sends a command, and compares the reply with that of the reference. */
export type Comparison = (command: Command) => Promise<Reply>

/** Starts a comparison, whose commands must use new keys. */
export const comparison = (bench: Bench): Comparison => {
  const entries = new Map<string, MemoryEntry>()
  const reference = { entries, now: bench.now, run: () => 'run_id:reference' }
  const seen: unknown[] = []
  const begun = Date.now()
  let followsClock = false
  return async (command) => {
    const expected = runCommand(reference, command, 'reference')
    const reply = await bench.run(command)
    seen.push({ ...command, expected, reply })
    // Without a fence, a node derives the counter from its clock. A very slow node does the same, because the requested
    // minimum is then out of range.
    followsClock ||= command.op === 'extend' && expected.status === 'absent'
    followsClock ||= Date.now() - begun > clockTolerance / 2
    const slack = 2_000 + bench.slowest()
    const tolerances = { ttl: slack, counter: followsClock ? clockTolerance + slack : 0 }
    const difference = differenceOf(reply, expected, tolerances)
    if (difference) bench.fail(`the last reply has a different ${difference} than expected`, seen)
    return reply
  }
}
