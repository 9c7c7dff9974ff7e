/** How the content of two payloads is compared. */
export type PayloadForm = {
  /**
   * The content in a form that is the same for all equivalent payloads.
   *
   * @param mediaType - The content type in lower case, without parameters.
   * @returns undefined for a payload without a canonical form. Its bytes are compared instead.
   */
  readonly canonical: (content: Uint8Array, mediaType: string) => string | undefined
}

// A fixed limit, so that the size of the stack does not decide which payloads are the same.
const maxDepth = 500

/** Writes a value of JSON. @throws if it has no canonical form. */
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
 * For `fingerprint` of idempotent requests: compares payloads of JSON by their content. The order of members, white
 * space and the notation of numbers and text do not matter, as `JSON.parse` reads them. Other payloads are compared as
 * without this option. So is JSON that is malformed, is nested deeper than 500 levels or has numbers beyond the range
 * of doubles.
 *
 * The query and the content type count as well, and `maxPayload` limits the bytes that are read.
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
