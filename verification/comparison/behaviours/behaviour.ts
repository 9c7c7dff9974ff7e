import type { Feature } from '../contestants/contestant.ts'
import type { Observation } from '../observation.ts'
import type { TestBed } from '../test-bed.ts'

/** One behaviour: a row of the table. */
export type Behaviour = {
  readonly id: string
  readonly title: string
  /** How it is tested. */
  readonly test: string
  /** The issue or source that it is known from. */
  readonly known: string
  /** Features without which there is nothing to test. */
  readonly needs?: readonly Feature[]
  /** Whether something hangs in it: then it also runs without a command timeout. */
  readonly hangs?: true
  readonly run: (bed: TestBed) => Promise<Observation>
}
