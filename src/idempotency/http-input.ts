import { collect } from './collect.ts'

/** A request as the middleware reads it, whatever the platform passes. */
export type HttpInput = {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly header: (name: string) => string | undefined
  /** Reads the body, and leaves it to the handler; undefined where it is longer than the limit. */
  readonly body: (limit: number) => Promise<Body | undefined>
}

/** A body, and the type that it has where that is not the one of the request. */
export type Body = {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType?: string | null
}

/**
 * Reads a request.
 *
 * @param readBody - Makes a copy of the body where it has been read before.
 */
export const requestInput = (request: Request, readBody: () => Promise<Response>): HttpInput => {
  const { pathname, search } = new URL(request.url)
  return {
    method: request.method,
    path: pathname,
    query: search,
    header: (name) => request.headers.get(name) ?? undefined,
    body: async (limit) => {
      if (request.bodyUsed) {
        const copy = await readBody()
        const bytes = new Uint8Array(await copy.arrayBuffer())
        const contentType = copy.headers.get('content-type')
        return bytes.length > limit ? undefined : { bytes, contentType }
      }
      const collected = await collect(request.clone().body, limit)
      if ('bytes' in collected) return collected
      collected.stream.cancel().catch(() => {})
      return undefined
    },
  }
}
