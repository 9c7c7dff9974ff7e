import type { ServerResponse } from 'node:http'
import { lastBytes } from './chunk.ts'
import { deferDestroy } from './deferred-destroy.ts'
import { guarded } from './guarded.ts'
import { type Handling, type HoldResponse, isFunction, tellPast } from './handling.ts'
import { Lifetime } from './lifetime.ts'
import { pretendSent } from './pretence.ts'

type End = (...args: readonly unknown[]) => unknown

/**
 * Holds only the end of a response back, until the lock has been released: the next request of the same client must
 * not meet the lock of the one before.
 *
 * The lock ends with the response and the promise of the handler. A handler that waits for the end of its response,
 * as `pipeline` does, would never settle if its promise were waited for before the end is sent.
 */
class HeldEnd implements Handling {
  readonly response: Promise<Response>
  readonly #res: ServerResponse
  /** The method of other middleware, if that has replaced it before. */
  readonly #end: End
  readonly #listeners: number
  readonly #life: Lifetime
  #state: 'open' | 'held' | 'passed' = 'open'
  #call: readonly unknown[] = []
  #stopPretending = (): void => {}
  #stopDeferring = (): void => {}
  #resolve!: (response: Response) => void
  #reject!: (error: unknown) => void

  constructor(res: ServerResponse, patience: () => number) {
    this.#res = res
    this.#end = res.end.bind(res) as End
    this.#listeners = res.listenerCount('finish')
    this.response = new Promise<Response>((onResponse, onError) => {
      this.#resolve = onResponse
      this.#reject = onError
    })
    // It may fail when nobody waits for it any more.
    this.response.catch(() => {})
    this.#life = new Lifetime(res, {
      patience,
      hasBegun: () => res.headersSent,
      onGone: (error) => this.#giveUp(error),
      onOver: () => {
        if (this.hasEnded()) this.#finish()
      },
      // An error after the end is told when the end has been sent.
      onFailed: (error) => (this.hasEnded() ? this.#finish() : this.#giveUp(error)),
      onClose: () => this.#checkPast(),
    })
    Object.assign(res, { end: (...args: readonly unknown[]) => this.#hold(args) })
  }

  follow(returned: unknown): void {
    this.#life.follow(returned)
  }

  hasEnded(): boolean {
    return this.#state !== 'open'
  }

  problem(): undefined {
    return undefined
  }

  send(): void {
    this.#life.stop()
    const isHeld = this.#state === 'held'
    this.#state = 'passed'
    if (!isHeld) return
    this.#stopPretending()
    this.#stopDeferring()
    this.#end(...this.#call)
  }

  async replace(): Promise<void> {
    this.send()
  }

  reset(): void {
    this.send()
  }

  #finish(): void {
    this.#resolve(new Response(null))
  }

  #giveUp(error: unknown): void {
    this.#life.stop()
    this.#state = 'passed'
    this.#reject(error)
  }

  /** Finds out whether the response was sent without the method that is replaced. */
  #checkPast(): void {
    if (this.hasEnded() || !this.#res.writableEnded) return
    tellPast()
    this.#life.stop()
    this.#finish()
  }

  /** Keeps the end instead of sending it. */
  #hold(args: readonly unknown[]): unknown {
    if (this.#state === 'passed') return this.#end(...args)
    if (this.#state === 'held') {
      const done = args.find(isFunction)
      if (done) queueMicrotask(done)
      return this.#res
    }
    lastBytes(this.#res, args)
    this.#state = 'held'
    this.#call = args
    this.#life.stop()
    this.#stopDeferring = deferDestroy(this.#res)
    this.#stopPretending = pretendSent(this.#res, () => true)
    // Its promise is known once the handler has returned, and settles in this turn if it has nothing else to do.
    const judge = guarded((): void => this.#judge())
    queueMicrotask(() => (this.#life.isRunning() ? void setImmediate(judge) : this.#finish()))
    return this.#res
  }

  /** Decides what comes first for a handler that goes on after the end: the release, or what it still does. */
  #judge(): void {
    if (!this.#life.isRunning()) return
    const waits = this.#call.some(isFunction) || this.#res.listenerCount('finish') > this.#listeners
    if (waits) this.#finish()
    else this.send()
  }
}

export const holdEnd: HoldResponse = (res, patience) => new HeldEnd(res, patience)
