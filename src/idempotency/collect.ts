import { concat } from '../util/bytes.ts'

/** A body in memory, or a stream of all of it where it is longer than the limit. */
export type Collected =
  | { readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly stream: ReadableStream<Uint8Array> }

/**
 * Reads a body up to a limit in bytes.
 *
 * @throws the error of the body, or `TypeError` where a chunk is no bytes.
 */
export const collect = async (body: ReadableStream | null, limit: number): Promise<Collected> => {
  if (!body) return { bytes: new Uint8Array() }
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const parts: Uint8Array[] = []
  for (let size = 0; ;) {
    const { done, value } = await reader.read()
    if (done) return { bytes: concat(parts) }
    // Another chunk cannot be sent either.
    if (!(value instanceof Uint8Array)) {
      const error = new TypeError('Expected the body to consist of Uint8Array')
      reader.cancel(error).catch(() => {})
      throw error
    }
    parts.push(value)
    size += value.length
    if (size > limit) break
  }
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const read = parts.shift()
      if (read) return controller.enqueue(read)
      const { done, value } = await reader.read()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return { stream }
}
