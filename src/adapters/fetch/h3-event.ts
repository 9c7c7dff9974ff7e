import { isMessage } from '../../util/thrown-answer.ts'

/** An event of h3 1, as Nuxt and Nitro pass it. */
export type H3Event = {
  /** Without the path at which its handler is mounted. */
  readonly path: string
  readonly method: string
  readonly headers: Headers
  readonly handled: boolean
  readonly req?: unknown
  readonly web?: { readonly request?: Request }
  /** What h3 passes on of a request that is none of Node. */
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

/** The request of Node in an event of h3 1, or what stands for one on an edge runtime. */
export type H3Request = AsyncIterable<Uint8Array> & {
  readonly url?: string
  /** The path before anything is left out of `url`. */
  readonly originalUrl?: string
  readonly httpVersionMajor?: number
  [body: PropertyKey]: unknown
}

/** Whether it is an event of h3 1. One of h3 2 has the same properties on Node, but a Request as `req`. */
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
