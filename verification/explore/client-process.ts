import type { Clock } from '../../src/util/clock.ts'
import { hashOf } from './hash.ts'
import type { Renaming } from './renaming.ts'

/** A timer of a client. */
export type Timer = {
  readonly at: number
  readonly client: ClientProcess
  readonly run: () => void
}

/** Resolves once all promise callbacks have run. */
export const drained = async (): Promise<void> => {
  // Outside of promise callbacks, `nextTick` would come before them.
  await Promise.resolve()
  await new Promise<void>((resolve) => process.nextTick(resolve))
}

/**
 * A process that runs a client. What it does depends only on what reaches it: replies, timers and the search that lets
 * it go on. So the list of these is its state.
 */
export class ClientProcess {
  readonly name: string
  readonly #rate: number
  readonly #now: () => number
  readonly #renamings: readonly Renaming[]
  /** A hash of everything that has reached it, for each renaming of the clients. */
  readonly #histories: number[]
  #timers: Timer[] = []
  #values = 0
  #messages = 0
  #continue: (() => void) | undefined
  isAlive = true
  isDone = false
  isPaused = false

  constructor(index: number, rate: number, renamings: readonly Renaming[], now: () => number) {
    this.name = `c${index}`
    this.#renamings = renamings
    this.#histories = renamings.map(() => 0)
    this.#rate = rate
    this.#now = now
  }

  start(program: () => Promise<void>, onError: (error: unknown) => void): void {
    program()
      .catch(onError)
      .finally(() => (this.isDone = true))
  }

  /** Its own clock, in ms. */
  time = (): number => this.#rate * this.#now()

  setTimer: Clock['setTimer'] = (run, delay) => {
    // No runtime fires a timer earlier than after a millisecond.
    const at = this.#now() + Math.max(1, delay) / this.#rate
    const timer = { at, client: this, run }
    this.#timers.push(timer)
    return () => this.#drop(timer)
  }

  /** A lock value with the form of a UUID. Nodes treat any other value as foreign data, which has no known holder. */
  makeValue = (): string =>
    `${this.name}v${String(this.#values++).padStart(5, '0')}-0000-4000-8000-000000000000`

  nextId(node: number): string {
    return `${this.name}m${this.#messages++}n${node}`
  }

  goOn = (): Promise<void> => new Promise((resolve) => (this.#continue = resolve))

  get canGoOn(): boolean {
    return this.isAlive && this.#continue !== undefined
  }

  async continue(): Promise<void> {
    const resolve = this.#continue!
    this.#continue = undefined
    await this.resume('continues', resolve)
  }

  /** The timer that fires next, unless the client is paused. */
  get nextTimer(): Timer | undefined {
    if (!this.isAlive || this.isPaused) return undefined
    let first: Timer | undefined
    for (const timer of this.#timers) if (!first || timer.at < first.at) first = timer
    return first
  }

  async fire(timer: Timer): Promise<void> {
    this.#drop(timer)
    await this.resume('timer', timer.run)
  }

  /** Something reaches the client. */
  async resume(what: string, run: () => void): Promise<void> {
    if (!this.isAlive) return
    const event = `${this.#now()} ${what}`
    for (const [index, rename] of this.#renamings.entries())
      this.#histories[index] = hashOf(`${this.#histories[index]} ${rename(event)}`)
    run()
    await drained()
  }

  crash(): void {
    this.isAlive = false
    this.#timers = []
  }

  /**
   * Its state as text.
   *
   * @param isQuiet - Whether no message from it or to it is under way.
   * @param renaming - The index of the renaming.
   */
  describe(isQuiet: boolean, renaming: number): string {
    const name = this.#renamings[renaming]!(this.name)
    if (isQuiet && !this.isAlive) return `${name} crashed`
    if (isQuiet && this.isDone && this.#timers.length === 0) return `${name} done`
    // The history of a crashed client still shows what its messages contain.
    return `${name} ${this.isAlive} ${this.canGoOn} ${this.#histories[renaming]}`
  }

  #drop(timer: Timer): void {
    this.#timers = this.#timers.filter((one) => one !== timer)
  }
}
