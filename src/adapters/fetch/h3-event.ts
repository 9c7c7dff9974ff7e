import { isMessage } from '../../util/thrown-answer.ts'

/** An h3 1 event, as Nuxt and Nitro pass it. */
export type H3Event = {
  /** The path relative to the mount path of the handler. */
  readonly path: string
  readonly method: string
  readonly headers: Headers
  readonly handled: boolean
  readonly req?: unknown
  readonly web?: { readonly request?: Request }
  /** The body of a request that does not come from a Node server. */
  _requestBody?: unknown
  readonly node: {
    readonly req: H3Request
    readonly res: {
      readonly statusCode: number
      readonly getHeaders?: () => Readonly<Record<string, number | string | string[] | undefined>>
      readonly setHeader?: (name: string, value: string) => unknown
    }
  }
}

/** The Node request in an h3 1 event, or its substitute on an edge runtime. */
export type H3Request = AsyncIterable<Uint8Array> & {
  readonly url?: string
  /** The full path, including mount paths that were removed from `url`. */
  readonly originalUrl?: string
  readonly httpVersionMajor?: number
  [body: PropertyKey]: unknown
}

/** Whether a value is an h3 1 event. On Node, an h3 2 event has the same properties, but its `req` is a `Request`. */
export const isH3Event = (given: unknown): given is H3Event => {
  const { node, method, path, headers, req } = Object(given) as Partial<H3Event>
  return (
    typeof Object(node).req === 'object' &&
    typeof method === 'string' &&
    typeof path === 'string' &&
    typeof headers?.get === 'function' &&
    !isMessage(req)
  )
}
