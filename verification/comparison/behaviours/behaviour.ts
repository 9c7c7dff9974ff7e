import type { Feature } from '../contestants/contestant.ts'
import type { Observation } from '../observation.ts'
import type { TestBed } from '../test-bed.ts'

/** One behavior: a row of the table. */
export type Behaviour = {
  readonly id: string
  readonly title: string
  /** How it is tested. */
  readonly test: string
  /** The issue or source that reports it. */
  readonly known: string
  /** The features that the test needs. */
  readonly needs?: readonly Feature[]
  /** Whether a command hangs in it: then it also runs without a command timeout. */
  readonly hangs?: true
  readonly run: (bed: TestBed) => Promise<Observation>
}
