import type { Random } from '../../tools/random.ts'
import type { Step } from './path.ts'

/** A state that was reached. */
export type State = {
  /** The state before it; undefined for the first one. */
  readonly from: State | undefined
  /** The step that led to it. */
  readonly step: Step
  readonly depth: number
  /** The steps from it that have yet to be taken. */
  readonly remaining: Step[]
}

/** The steps from the first state to this one. */
export const pathTo = (state: State): Step[] => {
  const steps: Step[] = []
  for (let one = state; one.from; one = one.from) steps.push(one.step)
  return steps.toReversed()
}

/** The states from which steps have yet to be taken. */
export class Frontier {
  readonly #random: Random
  readonly #states: State[] = []

  constructor(random: Random) {
    this.#random = random
  }

  add(state: State): void {
    if (state.remaining.length > 0) this.#states.push(state)
  }

  get isEmpty(): boolean {
    this.#dropLast()
    return this.#states.length === 0
  }

  /** Picks any state, so that a search that stops early has looked everywhere. */
  pick(): State {
    const states = this.#states
    for (;;) {
      this.#dropLast()
      const index = this.#random.whole(0, states.length - 1)
      const state = states[index]!
      if (state.remaining.length > 0) return state
      states[index] = states.pop()!
    }
  }

  #dropLast(): void {
    while (this.#states.at(-1)?.remaining.length === 0) this.#states.pop()
  }
}
