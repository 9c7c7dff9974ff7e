import type { IncomingMessage, ServerResponse } from 'node:http'
import { ClientGoneError } from '../../requests/client-gone.ts'
import { guarded } from './guarded.ts'

/** The state of a request whose response has not ended. */
export type Life = {
  /** Whether the handler has finished, which is known only if it returns a promise. */
  readonly handler: 'unknown' | 'running' | 'over'
  /** Whether the connection has closed, and whether the server has destroyed the response. */
  readonly connection: 'open' | 'left' | 'destroyed'
  /** Whether the handler has begun to respond. */
  readonly hasBegun: boolean
  /** The streams that are piped to the response. */
  readonly pipes: 'none' | 'flowing' | 'over'
}

/**
 * The fate of a response that has not ended: it can still end, it has a last chance, or it can no longer end.
 *
 * Frameworks do not report when their handlers have finished. A handler that has not begun to respond is probably
 * running, and ends its response even if the client has left. A retry must not run beside it.
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

/** The stream of a response over HTTP/2. */
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
  /** Ms for which a response has a last chance to end after its connection has closed. */
  readonly patience: () => number
  readonly hasBegun: () => boolean
  /** Called when the response can no longer end. */
  readonly onGone: (error: ClientGoneError) => void
  /** Called when the promise of the handler has been fulfilled. */
  readonly onOver?: () => void
  /** Called when the promise of the handler has been rejected. */
  readonly onFailed: (error: unknown) => void
  /** Called when the connection has closed. */
  readonly onClose: () => void
}

/** Follows a handler and its connection until the response has ended. */
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
    // Only a `destroy` by the server shows that a handler has finished. A client, a timeout and a broken request close
    // the connection in many ways while the handler is running.
    this.#unwatch = [res, res.req].map((part) => this.#watch(part))
    res.once('close', this.#onClose).on('pipe', this.#onPipe).on('unpipe', this.#onUnpipe)
  }

  /** Takes the return value of the handler. */
  follow(returned: unknown): void {
    // In the handler's own turn, only the handler can close it.
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

  /** Stops following, since the response has ended or other code answers. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    for (const unwatch of this.#unwatch) unwatch()
    this.#res.off('close', this.#onClose).off('pipe', this.#onPipe).off('unpipe', this.#onUnpipe)
  }

  /** Notices if the server destroys the response or its request. */
  #watch(part: ServerResponse | IncomingMessage): () => void {
    const destroy = part.destroy.bind(part) as (error?: Error) => unknown
    const watched = (error?: Error): unknown => {
      const wasClosing = isClosing(this.#res)
      destroy(error)
      // Node destroys a request that has ended, or whose client has left.
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

  /** Some frameworks end the response after the promise has settled, in the same turn. */
  #checkSoon(): void {
    setImmediate(this.#check)
  }

  #giveUp(mayGoOn: boolean): void {
    if (!this.#isStopped) this.#told.onGone(new ClientGoneError(mayGoOn))
  }
}
