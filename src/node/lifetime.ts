import type { ServerResponse } from 'node:http'
import { ClientGoneError } from '../http/client-gone.ts'
import { guarded } from './guarded.ts'

/** What is known of a request whose response has not ended. */
export type Life = {
  /** A handler that returns a promise tells when it is over. */
  readonly handler: 'unknown' | 'running' | 'over'
  /** Whether the client has left, or the server has closed the connection. */
  readonly connection: 'open' | 'left' | 'destroyed'
  /** Whether the handler has begun to respond. */
  readonly hasBegun: boolean
  /** The streams that are piped to the response. */
  readonly pipes: 'none' | 'flowing' | 'over'
}

/**
 * What becomes of a response that has not ended: it can still end, it has a last chance, or it cannot end any more.
 *
 * Frameworks do not say when their handlers are over. A handler that has not begun to respond is probably at work, and
 * ends its response even if the client has left: a retry must not run beside it.
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

// https://www.rfc-editor.org/rfc/rfc9113#section-7
const cancelled = 8

type Http2Stream = { readonly destroyed: boolean; readonly rstCode: number }

const streamOf = (res: ServerResponse): Http2Stream | undefined =>
  (res as { readonly stream?: Http2Stream }).stream

/** Whether the connection of a response has closed, over HTTP/1.1 or HTTP/2. */
export const isClosed = (res: ServerResponse): boolean => streamOf(res)?.destroyed ?? res.destroyed

/** How to find out, after a response has closed, who has closed it. */
const closerOf = (res: ServerResponse): (() => 'left' | 'destroyed') => {
  const stream = streamOf(res)
  if (stream) return () => (stream.rstCode === cancelled ? 'left' : 'destroyed')
  const { socket } = res
  return () => {
    const { code } = Object(socket?.errored) as { code?: string }
    const isLeft = socket?.readableEnded || /^(?:ECONNRESET|EPIPE|ETIMEDOUT)$/.test(code ?? '')
    return isLeft ? 'left' : 'destroyed'
  }
}

export const isPromise = (given: unknown): given is PromiseLike<unknown> =>
  typeof (Object(given) as { then?: unknown }).then === 'function'

/** What a lifetime tells. */
type Told = {
  /** Ms for which a response whose connection has closed has a last chance to end. */
  readonly patience: () => number
  readonly hasBegun: () => boolean
  /** The response cannot end any more. */
  readonly onGone: (error: ClientGoneError) => void
  /** The promise of the handler has been fulfilled. */
  readonly onOver?: () => void
  /** The promise of the handler has been rejected. */
  readonly onFailed: (error: unknown) => void
  /** The connection has closed. */
  readonly onClose: () => void
}

/** Follows a handler and its connection until the response has ended. */
export type Lifetime = {
  /** Takes what the handler has returned. */
  readonly follow: (returned: unknown) => void
  readonly isRunning: () => boolean
  /** The response has ended, or somebody else answers. */
  readonly stop: () => void
}

export const watchLife = (res: ServerResponse, told: Told): Lifetime => {
  const closer = closerOf(res)
  let handler: Life['handler'] = 'unknown'
  let connection: Life['connection'] = isClosed(res) ? 'left' : 'open'
  let isStopped = false
  let [piped, hadPipes] = [0, false]
  let timer: ReturnType<typeof setTimeout> | undefined

  const giveUp = (mayGoOn: boolean): void => {
    if (!isStopped) told.onGone(new ClientGoneError(mayGoOn))
  }
  const check = guarded((): void => {
    if (isStopped) return
    const pipes = !hadPipes ? 'none' : piped > 0 ? 'flowing' : 'over'
    const fate = fateOf({ handler, connection, hasBegun: told.hasBegun(), pipes })
    if (fate === 'gone') giveUp(handler !== 'over')
    if (fate !== 'last') return
    timer ??= setTimeout(
      guarded(() => giveUp(true)),
      told.patience(),
    )
    timer.unref()
  })
  const onClose = guarded((): void => {
    connection = closer()
    told.onClose()
    check()
  })
  const onPipe = (): void => {
    piped++
    hadPipes = true
  }
  const onUnpipe = (): void => {
    piped--
    check()
  }
  res.once('close', onClose).on('pipe', onPipe).on('unpipe', onUnpipe)
  /** Some frameworks end the response after the promise, in the same turn. */
  const checkSoon = (): void => void setImmediate(check)

  return {
    follow: (returned) => {
      if (!isPromise(returned)) return checkSoon()
      handler = 'running'
      Promise.resolve(returned).then(
        guarded(() => {
          handler = 'over'
          told.onOver?.()
          checkSoon()
        }),
        guarded((error: unknown) => {
          handler = 'over'
          told.onFailed(error)
        }),
      )
    },
    isRunning: () => handler === 'running',
    stop: () => {
      isStopped = true
      clearTimeout(timer)
      res.off('close', onClose).off('pipe', onPipe).off('unpipe', onUnpipe)
    },
  }
}
