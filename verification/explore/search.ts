import { type Random, randomFrom } from '../../tools/random.ts'
import { Frontier, pathTo, type State } from './frontier.ts'
import { HashSet } from './hash.ts'
import type { Violation } from './observer.ts'
import { Path, type Step } from './path.ts'
import type { World } from './world.ts'

/** The result of a search. */
export type Search = {
  readonly world: string
  readonly states: number
  readonly steps: number
  /** The states in which nothing can happen any more. */
  readonly ends: number
  /** The length of the longest path. */
  readonly depth: number
  /** Whether every state within the bounds was searched. */
  readonly isComplete: boolean
  readonly seconds: number
  readonly violation?: (Violation & { readonly path: readonly Step[] }) | undefined
}

/** Takes these steps in a new path. */
export const replay = async (world: World, steps: readonly Step[]): Promise<Path> => {
  const path = await Path.begin(world)
  for (const step of steps) await path.take(step)
  return path
}

class Searcher {
  readonly #world: World
  readonly #random: Random
  readonly #known = new HashSet()
  readonly #frontier: Frontier
  #steps = 0
  #ends = 0
  #depth = 0

  constructor(world: World, seed: number) {
    this.#world = world
    this.#random = randomFrom(seed)
    this.#frontier = new Frontier(this.#random)
  }

  async run(maxStates: number): Promise<Search> {
    const begun = performance.now()
    const world = this.#world
    let path = await Path.begin(world)
    let state = this.#enter(path, undefined, '')
    while (!path.violation && this.#known.size < maxStates) {
      if (!state?.remaining.length) {
        if (this.#frontier.isEmpty) break
        state = this.#frontier.pick()
        path = await replay(world, pathTo(state))
      }
      const { remaining } = state
      const [step] = remaining.splice(this.#random.whole(0, remaining.length - 1), 1) as [Step]
      await path.take(step)
      this.#steps++
      const next = this.#enter(path, state, step)
      if (path.violation) break
      state = next
    }
    const { violation } = path
    return {
      world: world.name,
      states: this.#known.size,
      steps: this.#steps,
      ends: this.#ends,
      depth: this.#depth,
      isComplete: !violation && this.#frontier.isEmpty,
      seconds: (performance.now() - begun) / 1000,
      violation: violation && { ...violation, path: path.steps },
    }
  }

  /** Notes a state. Returns it if it is new. */
  #enter(path: Path, from: State | undefined, step: Step): State | undefined {
    if (!this.#known.add(path.hash())) return undefined
    const remaining = path.next()
    if (remaining.length === 0) {
      this.#ends++
      path.finish()
    }
    const state: State = { from, step, remaining, depth: from ? from.depth + 1 : 0 }
    this.#depth = Math.max(this.#depth, state.depth)
    this.#frontier.add(state)
    return state
  }
}

/**
 * Searches the states of a world. It follows a path for as long as its states are new, and then goes on from another
 * state. A client cannot be copied, so the search returns to a state by taking all steps to it again.
 *
 * @param maxStates - The search stops after this many states.
 * @param seed - Decides the order of the search.
 */
export const search = (world: World, maxStates: number, seed: number): Promise<Search> =>
  new Searcher(world, seed).run(maxStates)
