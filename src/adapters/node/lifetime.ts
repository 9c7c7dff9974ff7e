import type { IncomingMessage, ServerResponse } from 'node:http'
import { ClientGoneError } from '../../requests/client-gone.ts'
import { guarded } from './guarded.ts'

/** The state of a request whose response has not ended. */
export type Life = {
  /** Whether the handler has finished; unknown unless it returns a promise. */
  readonly handler: 'unknown' | 'running' | 'over'
  /** Whether the connection is open, was closed by the client, or was destroyed by the server. */
  readonly connection: 'open' | 'left' | 'destroyed'
  /** Whether the handler has begun to respond. */
  readonly hasBegun: boolean
  /** The streams that are piped to the response. */
  readonly pipes: 'none' | 'flowing' | 'over'
}

/**
 * Whether a response can still end (`wait`), has a last chance to end (`last`), or cannot end anymore (`gone`).
 *
 * Frameworks do not report when a handler has finished. A handler that has not begun to respond is probably still
 * running, and will end its response even if the client has disconnected. A retry must not run at the same time.
 */
export const fateOf = ({
  handler,
  connection,
  hasBegun,
  pipes,
}: Life): 'wait' | 'last' | 'gone' => {
  if (connection === 'open' || handler === 'running') return 'wait'
  if (handler === 'over' || pipes === 'over') return 'gone'
  return hasBegun || connection === 'destroyed' ? 'last' : 'wait'
}

type Http2Stream = {
  readonly destroyed: boolean
  readonly closed: boolean
  readonly session?: { readonly destroyed: boolean } | undefined
}

/** The stream of an HTTP/2 response; undefined over HTTP/1.1. */
export const streamOf = (res: ServerResponse): Http2Stream | undefined =>
  (res as { readonly stream?: Http2Stream }).stream

export const isHttp2 = (res: ServerResponse): boolean => streamOf(res) !== undefined

/** Whether the connection of a response has closed, over HTTP/1.1 or HTTP/2. */
export const isClosed = (res: ServerResponse): boolean => streamOf(res)?.destroyed ?? res.destroyed

/** Whether the connection of a response has closed, or is about to. */
const isClosing = (res: ServerResponse): boolean => {
  const stream = streamOf(res)
  if (stream) return stream.destroyed || stream.closed
  const { destroyed, writableEnded } = res.req.socket
  return destroyed || writableEnded
}

export const isPromise = (given: unknown): given is PromiseLike<unknown> =>
  typeof (Object(given) as { then?: unknown }).then === 'function'

/** The callbacks and settings of a lifetime. */
type Told = {
  /** Returns how long a response has a last chance to end after its connection has closed, in ms. */
  readonly patience: () => number
  readonly hasBegun: () => boolean
  /** Called when the response can no longer end. */
  readonly onGone: (error: ClientGoneError) => void
  /** Called when the handler's promise has resolved. */
  readonly onOver?: () => void
  /** Called when the handler's promise has rejected. */
  readonly onFailed: (error: unknown) => void
  /** Called when the connection has closed. */
  readonly onClose: () => void
}

/** Tracks a handler and its connection until the response has ended. */
export class Lifetime {
  readonly #res: ServerResponse
  readonly #told: Told
  readonly #unwatch: readonly (() => void)[]
  readonly #wasClosing: boolean
  #isDestroyed = false
  #handler: Life['handler'] = 'unknown'
  #connection: Life['connection']
  #piped = 0
  #hadPipes = false
  #isStopped = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(res: ServerResponse, told: Told) {
    this.#res = res
    this.#told = told
    this.#connection = isClosed(res) ? 'left' : 'open'
    this.#wasClosing = isClosing(res)
    // Watch `destroy`: only a call by the server shows that the handler has finished. Clients, timeouts and broken
    // requests can close the connection while the handler is still running.
    this.#unwatch = [res, res.req].map((part) => this.#watch(part))
    res.once('close', this.#onClose).on('pipe', this.#onPipe).on('unpipe', this.#onUnpipe)
  }

  /** Tracks the return value of the handler. */
  follow(returned: unknown): void {
    // While the handler ran synchronously, only the handler can have closed the connection.
    if (!this.#wasClosing && isClosing(this.#res)) {
      this.#isDestroyed = true
      this.#connection = 'destroyed'
    }
    if (!isPromise(returned)) return this.#checkSoon()
    this.#handler = 'running'
    Promise.resolve(returned).then(
      guarded(() => {
        this.#handler = 'over'
        this.#told.onOver?.()
        this.#checkSoon()
      }),
      guarded((error: unknown) => {
        this.#handler = 'over'
        this.#told.onFailed(error)
      }),
    )
  }

  isRunning(): boolean {
    return this.#handler === 'running'
  }

  /** Stops tracking, because the response has ended or other code responds. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    for (const unwatch of this.#unwatch) unwatch()
    this.#res.off('close', this.#onClose).off('pipe', this.#onPipe).off('unpipe', this.#onUnpipe)
  }

  /** Detects whether the server destroys the response or its request. @returns a function that restores `destroy`. */
  #watch(part: ServerResponse | IncomingMessage): () => void {
    const destroy = part.destroy.bind(part) as (error?: Error) => unknown
    const watched = (error?: Error): unknown => {
      const wasClosing = isClosing(this.#res)
      destroy(error)
      // Ignore the calls by Node, which destroys a request that has ended, or whose client has disconnected.
      if (part === this.#res || (!wasClosing && isClosing(this.#res))) {
        this.#isDestroyed = true
        if (this.#connection === 'left') this.#connection = 'destroyed'
        this.#check()
      }
      return part
    }
    Object.assign(part, { destroy: watched })
    return () => void Object.assign(part, { destroy })
  }

  readonly #onClose = guarded((): void => {
    this.#connection = this.#isDestroyed ? 'destroyed' : 'left'
    this.#told.onClose()
    this.#check()
  })

  readonly #onPipe = (): void => {
    this.#piped++
    this.#hadPipes = true
  }

  readonly #onUnpipe = (): void => {
    this.#piped--
    this.#check()
  }

  readonly #check = guarded((): void => {
    if (this.#isStopped) return
    const fate = fateOf({
      handler: this.#handler,
      connection: this.#connection,
      hasBegun: this.#told.hasBegun(),
      pipes: !this.#hadPipes ? 'none' : this.#piped > 0 ? 'flowing' : 'over',
    })
    if (fate === 'gone') this.#giveUp(this.#handler !== 'over')
    if (fate !== 'last') return
    this.#timer ??= setTimeout(
      guarded(() => this.#giveUp(true)),
      this.#told.patience(),
    )
    this.#timer.unref()
  })

  /** Checks after the current turn of the event loop: some frameworks end the response after the promise has settled. */
  #checkSoon(): void {
    setImmediate(this.#check)
  }

  #giveUp(mayGoOn: boolean): void {
    if (!this.#isStopped) this.#told.onGone(new ClientGoneError(mayGoOn))
  }
}
