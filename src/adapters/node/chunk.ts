import type { ServerResponse } from 'node:http'
import { isHttp2 } from './lifetime.ts'

/** Creates an error with the code and message that Node uses. */
const failure = (code: string, message: string): TypeError =>
  Object.assign(new TypeError(message), { code })

/** Whether Node accepts a chunk as bytes. Over HTTP/2, it accepts every view of a buffer. */
const isBytes = (chunk: unknown, res: ServerResponse): chunk is ArrayBufferView =>
  ArrayBuffer.isView(chunk) &&
  (isHttp2(res) || Object.prototype.toString.call(chunk) === '[object Uint8Array]')

/**
 * Converts a chunk that a handler writes to bytes.
 *
 * @throws `TypeError` if Node would throw: a chunk that cannot be sent must not be stored.
 */
export const chunkBytes = (res: ServerResponse, [chunk, given]: readonly unknown[]): Uint8Array => {
  if (chunk === null) throw failure('ERR_STREAM_NULL_VALUES', 'May not write null values to stream')
  if (isBytes(chunk, res)) return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  if (typeof chunk !== 'string') {
    const expected = 'of type string or an instance of Buffer or Uint8Array'
    const message = `The "chunk" argument must be ${expected}. Received type ${typeof chunk}`
    throw failure('ERR_INVALID_ARG_TYPE', message)
  }
  const encoding = typeof given === 'string' && given ? given : 'utf8'
  if (!Buffer.isEncoding(encoding)) {
    throw failure('ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`)
  }
  return Buffer.from(chunk, encoding)
}

/** The bytes of the last chunk; undefined if `end` was called without one. @throws like {@link chunkBytes}. */
export const lastBytes = (
  res: ServerResponse,
  args: readonly unknown[],
): Uint8Array | undefined => {
  const [chunk] = args
  const isAbsent = isHttp2(res) ? chunk === undefined || chunk === null : !chunk
  return isAbsent || typeof chunk === 'function' ? undefined : chunkBytes(res, args)
}
