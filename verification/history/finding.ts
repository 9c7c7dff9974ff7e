import type { Operation } from './operation.ts'

/** A broken guarantee, and the operations that prove it. */
export type Finding = {
  readonly check: string
  readonly text: string
  readonly involved: readonly Operation[]
}

/** Writes a time of a history as text. */
export type ShowTime = (at: number) => string
