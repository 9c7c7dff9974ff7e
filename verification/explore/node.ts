import { applyCommand, type Row } from '../../src/entries/custom-node.ts'
import type { Command, CommandGuard } from '../../src/protocol/command.ts'
import type { Reply } from '../../src/protocol/reply.ts'
import type { Renaming } from './renaming.ts'

/** When every path begins, by a correct clock. */
export const epoch = 1_800_000_000_000
/** How long volatile nodes have been in service, in ms. */
const serviceTime = 86_400_000

/** Whether a row is a lock or one of its slots, or the claim or the record of `once`. */
const isKeyRow = (name: string): boolean => /^lock:(l|r:once):key(#|$)/.test(name)
/** Whether a row is the record of a call of `once`, and not its claim. */
const isRecord = (value: string): boolean => value.split(' ')[1] === 'd'
const isClaim = (value: string): boolean => value.split(' ')[1] === 'c'

/** A lock or a claim that a node holds. */
export type Holding = { readonly text: string; readonly owner: string; readonly isClaim: boolean }

/** A node: its rows, its clock and its run. It has no other state. */
export class Node {
  readonly #rank: number
  readonly #rate: number
  readonly #now: () => number
  readonly #rows = new Map<string, Row>()
  #run = 1
  /** When it votes again after a restart, by its own clock. */
  #votesAt = 0

  constructor(rank: number, rate: number, now: () => number) {
    this.#rank = rank
    this.#rate = rate
    this.#now = now
  }

  /** Executes a request. */
  execute(command: Command, guard: CommandGuard | undefined): Reply {
    // Volatile nodes abstain at first. So each of them has been asked by somebody long before.
    if (guard && this.#run === 1 && !this.#rows.has(guard.key))
      this.#apply({ ...command, op: 'inspect' } as Command, guard, this.#wall() - serviceTime)
    return this.#apply(command, guard, this.#wall())
  }

  /** Loses its data, and reports another run from then on. */
  restart(): void {
    this.#rows.clear()
    this.#run++
  }

  /** The locks and claims that it holds. */
  get holdings(): Holding[] {
    return [...this.#valid()].flatMap(([name, { value }]) =>
      isKeyRow(name) && !isRecord(value)
        ? [{ text: value, owner: value.split(' ', 1)[0]!, isClaim: isClaim(value) }]
        : [],
    )
  }

  /** When its next lock or claim expires, or it votes again; Infinity if neither will happen. */
  get nextEnd(): number {
    const ends = [...this.#valid()].map(([name, { value, expiresAt }]) =>
      isKeyRow(name) && !isRecord(value) ? expiresAt + 1 : Infinity,
    )
    if (this.#votesAt > this.#wall()) ends.push(this.#votesAt)
    return (Math.min(...ends) - epoch) / this.#rate
  }

  /** Its state as text. */
  describe(rename: Renaming): string {
    const rows = [...this.#valid()].map(([name, { value, expiresAt }]) =>
      rename(`${name} ${value} ${expiresAt}`),
    )
    return [this.#run, ...rows.sort()].join()
  }

  #apply(command: Command, guard: CommandGuard | undefined, now: number): Reply {
    const { reply, changes } = applyCommand(command, this.#rows, {
      now,
      serverId: `server${this.#rank}`,
      guard,
      run: `run${this.#run}`,
    })
    for (const [name, row] of changes) {
      if (row) this.#rows.set(name, row)
      else this.#rows.delete(name)
    }
    if (reply.status === 'abstains') this.#votesAt = now + (reply.ttl ?? 0)
    return reply
  }

  /** The rows that have not expired. */
  #valid(): Map<string, Row> {
    const now = this.#wall()
    for (const [name, { expiresAt }] of this.#rows) if (now > expiresAt) this.#rows.delete(name)
    return this.#rows
  }

  #wall(): number {
    return Math.floor(epoch + this.#rate * this.#now())
  }
}
