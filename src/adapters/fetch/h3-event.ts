import { isMessage } from '../../util/thrown-answer.ts'

/** An event of h3 1, as passed by Nuxt and Nitro. */
export type H3Event = {
  /** The path below the one at which its handler is mounted. */
  readonly path: string
  readonly method: string
  readonly headers: Headers
  readonly handled: boolean
  readonly req?: unknown
  readonly web?: { readonly request?: Request }
  /** The body of a request that does not come from Node. */
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

/** The request of Node in an event of h3 1, or its substitute on an edge runtime. */
export type H3Request = AsyncIterable<Uint8Array> & {
  readonly url?: string
  /** The whole path, before anything was removed from `url`. */
  readonly originalUrl?: string
  readonly httpVersionMajor?: number
  [body: PropertyKey]: unknown
}

/** Whether it is an event of h3 1. On Node, an event of h3 2 has the same properties, but its `req` is a Request. */
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
