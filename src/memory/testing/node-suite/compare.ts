import type { MemoryEntry } from '../../memory-server.ts'
import { runCommand } from '../../run-command.ts'
import type { Command } from '../../../protocol/command.ts'
import type { Reply } from '../../../protocol/reply.ts'
import type { Bench } from './bench.ts'

// The reference is the protocol itself, over a Map. Its clock has the same offset as the node's clock.

/** Ms by which the clock of a node may differ from its clients' clocks. */
export const clockTolerance = 5_000

/** A reply whose fields are read by their names. */
type Fields = Readonly<Record<string, unknown>>

const exactFields = ['status', 'holder', 'metadata', 'slot', 'wasForced', 'because'] as const

const isNear = (one: unknown, other: unknown, tolerance: number): boolean =>
  one === other || Math.abs(Number(one) - Number(other)) <= tolerance

/** The differences that are allowed between the numbers of a reply and of the reference. */
export type Tolerances = {
  /** Ms by which a TTL may differ: the time of the requests. */
  readonly ttl: number
  /** The difference of counters that follow the clock of the node. */
  readonly counter: number
}

/** The first field that differs between a reply and the reference. */
const differenceOf = (
  own: Fields,
  expected: Fields,
  tolerances: Tolerances,
): string | undefined => {
  const [holders, wanted] = [own, expected].map((reply) => JSON.stringify(reply['holders']))
  if (own['ttl'] !== undefined && !Number.isSafeInteger(own['ttl'])) return 'ttl'
  // For slots, this is the holder whose slot expires first. Two may expire within a millisecond.
  const isOpen = (field: string): boolean => field === 'holder' && wanted !== undefined
  return (
    exactFields.find((field) => own[field] !== expected[field] && !isOpen(field)) ??
    (['ttl', 'counter'] as const).find(
      (field) => !isNear(own[field], expected[field], tolerances[field]),
    ) ??
    (holders === wanted ? undefined : 'holders')
  )
}

/** Compares the replies of a node with the reference, one command after the other. */
export type Comparison = (command: Command) => Promise<Reply>

/** Begins a sequence of commands with unused keys. */
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
    // A node that has lost a fence takes the counter from its clock. So does a very slow node.
    followsClock ||= command.op === 'extend' && expected.status === 'absent'
    followsClock ||= Date.now() - begun > clockTolerance / 2
    const slack = 2_000 + bench.slowest()
    const tolerances = { ttl: slack, counter: followsClock ? clockTolerance + slack : 0 }
    const difference = differenceOf(reply, expected, tolerances)
    if (difference) bench.fail(`the last reply has a different ${difference} than expected`, seen)
    return reply
  }
}
