import { collect } from '../util/bytes.ts'

// The names of encodings in HTTP, and on the platform. Node has brotli since 24.7.
const formats: Readonly<Record<string, string>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
}

/**
 * Decodes a body for its record, since another client may not accept its encoding.
 *
 * @returns undefined if the platform cannot decode it, or it is longer than the limit.
 */
export const decoded = async (
  bytes: Uint8Array<ArrayBuffer>,
  encoding: string,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const format = formats[encoding.trim().toLowerCase()]
  if (!format) return undefined
  try {
    const stream = new DecompressionStream(format as CompressionFormat)
    const body = new Blob([bytes]).stream().pipeThrough(stream)
    const content = await collect(body, limit)
    if (content instanceof Uint8Array) return content
    content.cancel().catch(() => {})
  } catch {
    // The body is not encoded as the header says, or the platform lacks the encoding.
  }
  return undefined
}
