type FixedLengthStream = new (length: number) => TransformStream<unknown, Uint8Array<ArrayBuffer>>

// Of workerd, which sends any other stream in chunks.
const { FixedLengthStream } = globalThis as { FixedLengthStream?: FixedLengthStream }

// The length of each stream that was made here, for a lock around a lock.
const lengths = new WeakMap<ReadableStream, number>()

/**
 * The length of a body that the runtime must be told; undefined where it cannot be told or is unknown.
 *
 * The header is trusted only in a response as `fetch` has returned it. In any other one it may be that of
 * a body that has been replaced since, and workerd ignores it as well.
 */
export const lengthOf = ({ body, headers, url }: Response): number | undefined => {
  const length = headers?.get('content-length')
  // Reading a compressed body decompresses it.
  const isTrusted = FixedLengthStream && url && !headers.has('content-encoding')
  const isLength = isTrusted && length && /^\d{1,15}$/.test(length)
  return lengths.get(body!) ?? (isLength ? Number(length) : undefined)
}

/**
 * The stream with a length that the runtime knows. One chunk of it is read at once.
 *
 * @see {@link https://developers.cloudflare.com/workers/runtime-apis/streams/transformstream/#fixedlengthstream}
 */
export const withLength = (
  stream: ReadableStream<unknown>,
  length: number,
): ReadableStream<unknown> => {
  const { readable, writable } = new FixedLengthStream!(length)
  // An error of the source becomes that of the readable side.
  stream.pipeTo(writable).catch(() => {})
  lengths.set(readable, length)
  return readable
}
