/** How the content of a payload is compared with that of another. */
export type PayloadForm = {
  /**
   * The content in a form that is the same for payloads that mean the same.
   *
   * @param mediaType - The content type in lower case, without parameters.
   * @returns undefined for a payload that has no such form. Its bytes are compared.
   */
  readonly canonical: (content: Uint8Array, mediaType: string) => string | undefined
}

// The stack ends somewhere, and where must not decide on what is the same.
const maxDepth = 500

/** Writes a value of JSON. @throws where it has no canonical form. */
const write = (value: unknown, depth: number): string => {
  if (value === Infinity || value === -Infinity || depth > maxDepth) throw new RangeError()
  const inner = (one: unknown): string => write(one, depth + 1)
  if (Array.isArray(value)) return `[${value.map(inner).join()}]`
  if (typeof value !== 'object' || !value) return JSON.stringify(value)
  // By UTF-16 code units.
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${inner(one)}`).join()}}`
}

const isJson = /^(?:application|text)\/(?:[^/]+\+)?json$/

/**
 * For `fingerprint` of idempotent requests: payloads of JSON are the same if they have the same members in any order,
 * with any white space, and numbers and text written in any way, as `JSON.parse` reads them. Other payloads, and JSON that is
 * not well-formed, nested deeper than 500 levels or has numbers beyond the range of doubles, are compared as without it.
 *
 * Query and content type count as well, and `maxPayload` limits what is read.
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
