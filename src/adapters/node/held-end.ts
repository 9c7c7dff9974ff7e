import type { ServerResponse } from 'node:http'
import { lastBytes } from './chunk.ts'
import { deferDestroy } from './deferred-destroy.ts'
import { guarded } from './guarded.ts'
import { type Handling, type HoldResponse, isFunction, tellPast } from './handling.ts'
import { Lifetime } from './lifetime.ts'
import { pretendSent } from './pretence.ts'

type End = (...args: readonly unknown[]) => unknown

/**
 * Holds back only the end of a response, until the lock has been released. Otherwise, the client's next request could
 * be rejected because of the lock of its previous request.
 *
 * The lock lasts until the response has ended and the handler's promise has settled. There is one exception: a handler
 * may wait for the end of its response, as with `pipeline`. Waiting for its promise would then be a deadlock.
 */
class HeldEnd implements Handling {
  readonly response: Promise<Response>
  readonly #res: ServerResponse
  /** The original method, or the replacement that other middleware has installed. */
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
    // The promise can reject when nothing awaits it anymore.
    this.response.catch(() => {})
    this.#life = new Lifetime(res, {
      patience,
      hasBegun: () => res.headersSent,
      onGone: (error) => this.#giveUp(error),
      onOver: () => {
        if (this.hasEnded()) this.#finish()
      },
      // If the handler fails after the end, send the end first, then report the error.
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

  /** Checks whether the response was sent without calling the replaced method. */
  #checkPast(): void {
    if (this.hasEnded() || !this.#res.writableEnded) return
    tellPast()
    this.#life.stop()
    this.#finish()
  }

  /** Stores the call of `end` instead of making it. */
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
    // Wait until the handler has returned: only then is its promise known. If the handler has nothing left to do, the
    // promise settles in the current turn of the event loop.
    const judge = guarded((): void => this.#judge())
    queueMicrotask(() => (this.#life.isRunning() ? void setImmediate(judge) : this.#finish()))
    return this.#res
  }

  /**
   * Chooses the order if the handler continues after the end. If the handler waits for the end, the lock is released
   * first. Otherwise, the end is sent first, and the lock lasts until the handler's promise has settled.
   */
  #judge(): void {
    if (!this.#life.isRunning()) return
    const waits = this.#call.some(isFunction) || this.#res.listenerCount('finish') > this.#listeners
    if (waits) this.#finish()
    else this.send()
  }
}

export const holdEnd: HoldResponse = (res, patience) => new HeldEnd(res, patience)
