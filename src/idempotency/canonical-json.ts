/** How the content of two payloads is compared. */
export type PayloadForm = {
  /**
   * The content in a form that is the same for all equivalent payloads.
   *
   * @param mediaType - The content type in lower case, without parameters.
   * @returns undefined for a payload without a canonical form, whose bytes are compared instead.
   */
  readonly canonical: (content: Uint8Array, mediaType: string) => string | undefined
}

// A fixed limit: otherwise, the stack size of the platform would decide which payloads have a canonical form.
const maxDepth = 500

/** Serializes a JSON value. @throws if the value has no canonical form. */
const write = (value: unknown, depth: number): string => {
  if (value === Infinity || value === -Infinity || depth > maxDepth) throw new RangeError()
  const inner = (one: unknown): string => write(one, depth + 1)
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`
  if (typeof value !== 'object' || !value) return JSON.stringify(value)
  // The members are sorted by UTF-16 code units.
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${inner(one)}`).join()}}`
}

const isJson = /^(?:application|text)\/(?:[^/]+\+)?json$/

/**
 * A `fingerprint` for idempotent requests that compares JSON payloads by the values that `JSON.parse` returns. It
 * ignores the order of members, white space, and the notation of numbers and strings. All other payloads are compared
 * as if the option were not set. They include JSON that is malformed, nested deeper than 500 levels, or contains
 * numbers beyond the range of doubles.
 *
 * The fingerprint also covers the query and the content type, and `maxPayload` limits the bytes that are read.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8785} JSON Canonicalization Scheme
 * @example
 * ```ts
 * const once = idempotent({ redlock, scope: () => 'all', fingerprint: canonicalJson })
 * ```
 */
export const canonicalJson: PayloadForm = {
  canonical: (content, mediaType) => {
    if (!isJson.test(mediaType)) return undefined
    try {
      return write(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content)), 0)
    } catch {
      return undefined
    }
  },
}
