import { concat } from '../util/bytes.ts'
import { sha256 } from '../util/sha256.ts'

/** The parts of a request that its answer depends on, beside its method and path. */
export type Payload = {
  /** The query string, `?` included. */
  readonly query: string
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const encoder = new TextEncoder()

const isForm = (contentType: string): boolean => /^multipart\/form-data\b/i.test(contentType)

/**
 * The parts of a form. A browser separates them by another random boundary each time, so that the bytes
 * of the same form differ. Undefined for what is no such form.
 */
const formParts = async ({ contentType, bytes }: Payload): Promise<Uint8Array[] | undefined> => {
  if (!isForm(contentType)) return undefined
  try {
    const headers = { 'content-type': contentType }
    const form = await new Response(bytes, { headers }).formData()
    const parts: Uint8Array[] = []
    for (const [name, value] of form) {
      const isText = typeof value === 'string'
      const content = isText ? encoder.encode(value) : new Uint8Array(await value.arrayBuffer())
      const about = isText ? [name] : [name, value.name, value.type]
      // The length says where a part ends.
      parts.push(encoder.encode(JSON.stringify([...about, content.length])), content)
    }
    return parts
  } catch {
    return undefined
  }
}

/** The SHA-256 of a payload: its query, its content type without parameters, and its content. */
export const fingerprintOf = async (payload: Payload): Promise<string> => {
  const { query, contentType, bytes } = payload
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase()
  const parts = await formParts(payload)
  // A broken form may have the bytes that the parts of another one become.
  const about = isForm(contentType) && !parts ? [type, query, ''] : [type, query]
  return sha256(concat([encoder.encode(JSON.stringify(about)), ...(parts ?? [bytes])]))
}

/** The name of a request in Redis: a hash, so that it shows nobody's id, and is never too long. */
export const requestKey = (parts: readonly string[]): Promise<string> =>
  sha256(concat([encoder.encode(JSON.stringify(parts))]))
