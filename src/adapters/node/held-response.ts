import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { withEarlier } from '../../requests/with-headers.ts'
import { mayHaveBody } from '../../util/bytes.ts'
import { chunkBytes, lastBytes } from './chunk.ts'
import { deferDestroy } from './deferred-destroy.ts'
import { headersOf } from './exchange.ts'
import { type Handling, type HoldResponse, isFunction, tellPast } from './handling.ts'
import { isHttp2, Lifetime } from './lifetime.ts'
import { pretendSent } from './pretence.ts'
import { type WrittenBody, writtenBody } from './written-body.ts'

type Pair = readonly [name: string, value: OutgoingHttpHeader]

/**
 * The headers in an argument of `writeHead`, which is an object, a list of pairs, or a list in which names and values
 * alternate.
 */
const pairsOf = (given: OutgoingHttpHeaders | readonly unknown[]): readonly Pair[] => {
  if (!Array.isArray(given)) return Object.entries(given) as Pair[]
  if (Array.isArray(given[0])) return given as readonly Pair[]
  return given.flatMap((name, index) =>
    index % 2 === 0 ? [[name, given[index + 1]] as unknown as Pair] : [],
  )
}

/** Applies the arguments of `writeHead` to a response, without sending it. */
const setHead = (res: ServerResponse, args: readonly unknown[]): void => {
  const [status, reason, last] = args
  res.statusCode = Number(status)
  if (typeof reason === 'string') res.statusMessage = reason
  const headers = typeof reason === 'string' ? last : (last ?? reason)
  const pairs = pairsOf((headers ?? {}) as OutgoingHttpHeaders)
  for (const [name] of pairs) res.removeHeader(name)
  for (const [name, value] of pairs) res.appendHeader(name, value as string)
}

/** Removes the headers and the status message that a handler has set. */
const clearHead = (res: ServerResponse): void => {
  for (const name of res.getHeaderNames()) res.removeHeader(name)
  // HTTP/2 responses have no status message, and reading the property causes a warning.
  if (!isHttp2(res) && res.statusMessage) res.statusMessage = ''
}

const methods = ['writeHead', 'flushHeaders', 'write', 'end'] as const
type Method = (typeof methods)[number]
type MethodCall = readonly [method: Method, args: readonly unknown[]]
type Methods = Readonly<Record<Method, (...args: readonly unknown[]) => unknown>>

/**
 * Holds back a whole response, from its first byte. A Node handler responds by calling methods of the response object,
 * so this class replaces those methods. It stores the calls and repeats them later, so the client receives exactly what
 * the handler wrote.
 */
class HeldResponse implements Handling {
  readonly response: Promise<Response>
  readonly #res: ServerResponse
  readonly #earlier: { readonly status: number; readonly headers: OutgoingHttpHeaders }
  /** The original methods, or the replacements that other middleware has installed. */
  readonly #before: Methods
  readonly #calls: MethodCall[] = []
  readonly #body: WrittenBody
  readonly #life: Lifetime
  #state: 'open' | 'held' | 'passing' | 'dropped' = 'open'
  #isEnded = false
  #isFull = false
  #sent = new Headers()
  #problem: string | undefined
  #stopPretending = (): void => {}
  #stopDeferring = (): void => {}
  #resolve!: (response: Response) => void
  #reject!: (error: unknown) => void

  constructor(res: ServerResponse, patience: () => number) {
    this.#res = res
    this.#earlier = { status: res.statusCode, headers: res.getHeaders() }
    this.response = new Promise<Response>((onResponse, onError) => {
      this.#resolve = onResponse
      this.#reject = onError
    })
    // The promise can reject when nothing awaits it anymore.
    this.response.catch(() => {})
    this.#body = writtenBody(() => this.#drain())
    this.#before = Object.fromEntries(
      methods.map((method) => [method, res[method].bind(res)]),
    ) as unknown as Methods
    for (const method of methods) {
      const call = (...args: readonly unknown[]): unknown =>
        this.#state === 'passing' ? this.#before[method](...args) : this.#hold(method, args)
      Object.assign(res, { [method]: call })
    }
    const onFailed = (error: unknown): void => this.#fail(error)
    this.#life = new Lifetime(res, {
      patience,
      hasBegun: () => this.#state !== 'open',
      onGone: onFailed,
      onFailed,
      onClose: () => this.#checkPast(),
    })
  }

  follow(returned: unknown): void {
    this.#life.follow(returned)
  }

  hasEnded(): boolean {
    return this.#isEnded
  }

  problem(): string | undefined {
    return this.#problem
  }

  send(changed: Response): void {
    if (this.#state !== 'held') return
    const res = this.#res
    this.#letGo()
    // An error response is a placeholder for a response that cannot be changed.
    if (!res.headersSent && changed.type !== 'error') {
      const sent = this.#sent
      for (const name of sent.keys()) if (!changed.headers.has(name)) res.removeHeader(name)
      for (const [name, value] of changed.headers) {
        if (name !== 'set-cookie' && value !== sent.get(name)) res.setHeader(name, value)
      }
    }
    this.#state = 'passing'
    for (const [method, args] of this.#calls.splice(0)) this.#before[method](...args)
    if (!this.#isEnded && !res.writableNeedDrain) this.#drain()
  }

  async replace(other: Response): Promise<void> {
    const bytes = new Uint8Array(await other.arrayBuffer())
    const res = this.#res
    const isPassing = this.#state === 'passing'
    this.#letGo()
    this.#state = 'dropped'
    // Destroy a partial response: if it ended normally, the client would consider it complete.
    if (res.headersSent) return void (isPassing && !res.writableEnded && res.destroy())
    clearHead(res)
    const { status, headers } = withEarlier(other, headersOf(this.#earlier.headers))
    for (const [name, value] of headers) res.appendHeader(name, value)
    if (bytes.length > 0) res.setHeader('content-length', bytes.length)
    this.#before.writeHead(status)
    this.#before.end(...(bytes.length > 0 ? [bytes] : []))
    this.#drain()
  }

  reset(): void {
    this.#letGo()
    this.#life.stop()
    this.#state = 'passing'
    const res = this.#res
    if (res.headersSent) return
    clearHead(res)
    for (const [name, value] of Object.entries(this.#earlier.headers)) res.setHeader(name, value!)
    res.statusCode = this.#earlier.status
  }

  /** Restores the replaced properties of the response, and the methods that close its connection. */
  #letGo(): void {
    this.#stopPretending()
    this.#stopDeferring()
  }

  #drain(): void {
    if (!this.#isFull) return
    this.#isFull = false
    this.#res.emit('drain')
  }

  /** Rejects the response if it has not begun; otherwise fails its body with the error. */
  #fail(error: unknown): void {
    if (this.#isEnded) return
    if (this.#state === 'open') this.#reject(error)
    else if (this.#state === 'held') this.#body.fail(error)
  }

  /** Checks whether the response was sent without calling the replaced methods. */
  #checkPast(): void {
    const res = this.#res
    if (this.#state !== 'open' || !res.headersSent) return
    this.#problem = tellPast()
    this.#state = 'passing'
    this.#resolve(new Response(null))
  }

  #responseOf(): Response {
    const { statusCode: status, req } = this.#res
    const headers = headersOf(this.#res.getHeaders())
    this.#sent = new Headers(headers)
    const hasBody = mayHaveBody(status) && req.method !== 'HEAD'
    try {
      return new Response(hasBody ? this.#body.stream : null, { status, headers })
    } catch {
      // `Response` does not support this status.
      return Response.error()
    }
  }

  /** Stores a call instead of making it. */
  #hold(method: Method, args: readonly unknown[]): unknown {
    const done = args.find(isFunction)
    if (this.#state === 'dropped' || this.#isEnded) {
      if (done) queueMicrotask(done)
      return method === 'write' || this.#res
    }
    if (method === 'write') this.#write(args, done)
    else if (method === 'end') this.#end(args)
    else if (method === 'flushHeaders') this.#calls.push([method, []])
    else if (this.#state === 'open') {
      // Other middleware can call `writeHead` again, because nothing has been sent.
      setHead(this.#res, args)
      this.#calls.push([method, [this.#res.statusCode]])
    }
    if (this.#state === 'open') {
      this.#state = 'held'
      const made = this.#responseOf()
      this.#stopPretending = pretendSent(this.#res, () => this.#isEnded)
      this.#resolve(made)
    }
    return method === 'write' ? !this.#isFull : this.#res
  }

  #write(args: readonly unknown[], done: (() => void) | undefined): void {
    const bytes = chunkBytes(this.#res, args)
    this.#calls.push(['write', [bytes]])
    this.#isFull = !this.#body.write(bytes)
    // Call back immediately: the body is sent only once it is complete, and a handler that waits for the callback would
    // never complete it.
    if (done) queueMicrotask(done)
  }

  #end(args: readonly unknown[]): void {
    const bytes = lastBytes(this.#res, args)
    this.#calls.push(['end', args])
    this.#isEnded = true
    this.#life.stop()
    this.#stopDeferring = deferDestroy(this.#res)
    if (bytes) this.#body.write(bytes)
    this.#body.end()
  }
}

export const holdResponse: HoldResponse = (res, patience) => new HeldResponse(res, patience)
