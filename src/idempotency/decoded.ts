import { collect } from '../util/bytes.ts'

// HTTP content codings, and their names in `DecompressionStream`. Node supports brotli since 24.7.
const formats: Readonly<Record<string, string>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'brotli',
}

/**
 * Decodes a body before it is recorded, because the client that receives the replay may not accept its encoding.
 *
 * @returns undefined if the platform cannot decode the body, or if the result is longer than `limit`.
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
    // The body does not match its `content-encoding`, or the platform does not support the encoding.
  }
  return undefined
}
