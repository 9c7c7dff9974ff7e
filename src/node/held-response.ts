import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { withEarlier } from '../http/with-headers.ts'
import { mayHaveBody } from '../util/bytes.ts'
import { headersOf } from './exchange.ts'
import { writtenBody } from './written-body.ts'

type Pair = readonly [name: string, value: OutgoingHttpHeader]

/** The names and values that `writeHead` takes: an object, a list of pairs, or both in turn in one list. */
const pairsOf = (given: OutgoingHttpHeaders | readonly unknown[]): readonly Pair[] => {
  if (!Array.isArray(given)) return Object.entries(given) as Pair[]
  if (Array.isArray(given[0])) return given as readonly Pair[]
  return given.flatMap((name, index) =>
    index % 2 === 0 ? [[name, given[index + 1]] as unknown as Pair] : [],
  )
}

/** Sets on a response what the arguments of `writeHead` say, without sending it. */
const setHead = (res: ServerResponse, args: readonly unknown[]): void => {
  const [status, reason, last] = args
  res.statusCode = Number(status)
  if (typeof reason === 'string') res.statusMessage = reason
  const headers = typeof reason === 'string' ? last : (last ?? reason)
  const pairs = pairsOf((headers ?? {}) as OutgoingHttpHeaders)
  for (const [name] of pairs) res.removeHeader(name)
  for (const [name, value] of pairs) res.appendHeader(name, value as string)
}

/**
 * From where a response is held back: from its `head`, with all that follows, or only its `end`, while all
 * before it passes.
 */
export type HoldFrom = 'head' | 'end'

/** A response that is held back until it is known what is to be sent. */
export type HeldResponse = {
  /**
   * What the handler answers, as soon as it is held back. Its body is what the handler writes; if only the end
   * is held back, it has none.
   *
   * @throws `ClientGoneError` if the client has disconnected, and the handler cannot answer any more.
   */
  readonly response: Promise<Response>
  /** Is called when the handler has returned. */
  readonly handlerEnded: () => void
  /** Sends what the handler has written, with the headers of this response; the rest passes. */
  readonly send: (response: Response) => void
  /** Sends another response, and drops what the handler has written, and will write. */
  readonly replace: (response: Response) => Promise<void>
  /** Drops what the handler has written, so that somebody else can answer. */
  readonly reset: () => void
}

/** The client has disconnected before the handler has answered. */
export class ClientGoneError extends Error {
  override readonly name: string = 'ClientGoneError'
}

const methods = ['writeHead', 'flushHeaders', 'write', 'end'] as const
type Method = (typeof methods)[number]
type Call = readonly [method: Method, args: readonly unknown[]]
type Methods = Readonly<Record<Method, (...args: readonly unknown[]) => unknown>>

const bytesOf = (chunk: unknown, encoding: unknown): Uint8Array => {
  if (typeof chunk !== 'string') return chunk as Uint8Array
  return Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
}

const isFunction = (given: unknown): given is () => void => typeof given === 'function'

/**
 * Holds a response back. A handler of Node answers by the methods of its response, so these are replaced.
 * Their calls are kept and repeated, so that the client gets exactly what the handler has written.
 *
 * @param patience - Reads the ms for which a handler may go on whose client has left a response that has begun.
 */
export const holdResponse = (
  res: ServerResponse,
  from: HoldFrom,
  patience: () => number,
): HeldResponse => {
  const earlier = { status: res.statusCode, headers: res.getHeaders() }
  // Those of other middleware, if that has replaced them before.
  const before = Object.fromEntries(
    methods.map((method) => [method, res[method].bind(res)]),
  ) as unknown as Methods
  const calls: Call[] = []
  let state: 'open' | 'held' | 'passing' | 'dropped' = 'open'
  let isEnded = false
  let isFull = false
  let sent = new Headers()
  let resolve!: (response: Response) => void
  let reject!: (error: Error) => void
  const response = new Promise<Response>((onAnswer, onError) => {
    resolve = onAnswer
    reject = onError
  })
  const drain = (): void => {
    if (!isFull) return
    isFull = false
    res.emit('drain')
  }
  const body = writtenBody(drain)

  /** Makes the response look as if it were sent. @returns the function that ends that. */
  const pretend = (): (() => void) => {
    const properties = { headersSent: () => true, writableEnded: () => isEnded }
    const ends = Object.entries(properties).map(([name, get]) => {
      const own = Object.getOwnPropertyDescriptor(res, name)
      Object.defineProperty(res, name, { configurable: true, get })
      return () => {
        if (own) Object.defineProperty(res, name, own)
        else Reflect.deleteProperty(res, name)
      }
    })
    return () => {
      for (const stop of ends) stop()
    }
  }
  let stopPretending = (): void => {}

  const answer = (): Response => {
    const { statusCode: status, req } = res
    const headers = headersOf(res.getHeaders())
    sent = new Headers(headers)
    const hasBody = from === 'head' && mayHaveBody(status) && req.method !== 'HEAD'
    try {
      return new Response(hasBody ? body.stream : null, { status, headers })
    } catch {
      // A status that no Response can have.
      return Response.error()
    }
  }

  const hold = (method: Method, args: readonly unknown[]): unknown => {
    const done = args.find(isFunction)
    if (state === 'dropped' || isEnded) {
      if (done) queueMicrotask(done)
      return method === 'write' || res
    }
    // Other middleware may repeat it, because nothing was sent.
    if (method === 'writeHead' && state === 'open') {
      setHead(res, args)
      calls.push([method, [res.statusCode]])
    }
    const [chunk, encoding] = args
    const hasChunk = typeof chunk === 'string' || chunk instanceof Uint8Array
    if (method === 'write') {
      const bytes = bytesOf(chunk, encoding)
      calls.push([method, [bytes]])
      isFull = !body.write(bytes)
      // A handler that waits for it would never end a body that has to be complete.
      if (done) queueMicrotask(done)
    } else if (method === 'end') {
      calls.push([method, args])
      isEnded = true
      if (hasChunk && from === 'head') body.write(bytesOf(chunk, encoding))
      body.end()
    } else if (method === 'flushHeaders') calls.push([method, []])
    if (state === 'open') {
      state = 'held'
      const made = answer()
      stopPretending = pretend()
      resolve(made)
    }
    return method === 'write' ? !isFull : res
  }
  for (const method of methods) {
    const call = (...args: readonly unknown[]): unknown => {
      const passes = state === 'passing' || (state === 'open' && from === 'end' && method !== 'end')
      return passes ? before[method](...args) : hold(method, args)
    }
    Object.assign(res, { [method]: call })
  }

  let isClosed = res.destroyed
  let hasHandlerEnded = false
  // Streams that are piped to the response.
  let sources = 0
  let hadSources = false
  /** Ends what waits for an answer that cannot come any more, since the client has gone. */
  const giveUp = (): void => {
    if (isEnded) return
    if (state === 'held') body.fail(new ClientGoneError())
    else if (state === 'open' && from === 'end') {
      state = 'passing'
      resolve(answer())
    } else if (state === 'open') reject(new ClientGoneError())
  }
  const checkGone = (): void => {
    if (isClosed && (hasHandlerEnded || (hadSources && sources === 0))) giveUp()
  }
  res
    .on('close', () => {
      isClosed = true
      // Many handlers do not end a response that nobody reads, and some go on with their work.
      if (from === 'end' && res.headersSent) setTimeout(giveUp, patience()).unref()
      checkGone()
    })
    .on('pipe', () => {
      sources++
      hadSources = true
    })
    .on('unpipe', () => {
      sources--
      checkGone()
    })

  const clear = (): void => {
    for (const name of res.getHeaderNames()) res.removeHeader(name)
    res.statusMessage = ''
  }
  return {
    response,
    handlerEnded: () => {
      hasHandlerEnded = true
      checkGone()
    },
    send: (changed) => {
      if (state !== 'held') return
      stopPretending()
      // An error stands for a response that cannot be changed.
      if (!res.headersSent && changed.type !== 'error') {
        for (const name of sent.keys()) if (!changed.headers.has(name)) res.removeHeader(name)
        for (const [name, value] of changed.headers) {
          if (name !== 'set-cookie' && value !== sent.get(name)) res.setHeader(name, value)
        }
      }
      state = 'passing'
      for (const [method, args] of calls.splice(0)) before[method](...args)
      if (!isEnded && !res.writableNeedDrain) drain()
    },
    replace: async (other) => {
      const bytes = new Uint8Array(await other.arrayBuffer())
      stopPretending()
      state = 'dropped'
      clear()
      const { status, headers } = withEarlier(other, headersOf(earlier.headers))
      for (const [name, value] of headers) res.appendHeader(name, value)
      if (bytes.length > 0) res.setHeader('content-length', bytes.length)
      before.writeHead(status)
      before.end(...(bytes.length > 0 ? [bytes] : []))
      drain()
    },
    reset: () => {
      stopPretending()
      state = 'passing'
      if (res.headersSent) return
      clear()
      for (const [name, value] of Object.entries(earlier.headers)) res.setHeader(name, value!)
      res.statusCode = earlier.status
    },
  }
}
