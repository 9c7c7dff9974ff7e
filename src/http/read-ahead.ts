import { systemClock } from '../util/clock.ts'

type Reader = ReadableStreamDefaultReader<unknown>
type ReadResult = Awaited<ReturnType<Reader['read']>>

/** The beginning of a body, as far as it was available at once. */
export type ReadAhead = {
  /** The whole body, if it has ended and consists of bytes. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  /** Reads the body from its beginning. */
  readonly read: () => Promise<ReadResult>
}

// Bytes that are read ahead, unless the first chunk has more. A body in memory is in one chunk on Node,
// and comes in chunks of 4 KB on workerd.
const maxReadAhead = 262_144

/** The size of a chunk: its bytes or characters, or 1 for a chunk of another type. */
export const sizeOf = (chunk: unknown): number => {
  const { byteLength, length } = Object(chunk) as { byteLength?: number; length?: number }
  return byteLength ?? length ?? 1
}

const concat = (chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

const isBytes = (chunk: unknown): chunk is Uint8Array => chunk instanceof Uint8Array

/**
 * Reads what a body has available before the next task. A body in memory ends by then, so that its
 * length is known; one that waits for something does not delay the response.
 */
export const readAhead = async (reader: Reader): Promise<ReadAhead> => {
  const results: Promise<ReadResult>[] = []
  const chunks: unknown[] = []
  let [size, isOver] = [0, false]
  let cancelTimer!: () => void
  const nextTask = new Promise<undefined>((resolve) => {
    cancelTimer = systemClock.setTimer(() => resolve(undefined), 0)
  })
  while (!isOver && (chunks.length < 2 || size < maxReadAhead)) {
    const result = reader.read()
    results.push(result)
    // An error is thrown when the result is read.
    const read = await Promise.race([result, nextTask]).catch(() => undefined)
    if (!read) break
    isOver = read.done
    if (!read.done) chunks.push(read.value)
    size += read.done ? 0 : sizeOf(read.value)
  }
  cancelTimer()
  return {
    bytes: isOver && chunks.every(isBytes) ? concat(chunks, size) : undefined,
    read: () => results.shift() ?? reader.read(),
  }
}
