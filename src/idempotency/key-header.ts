// Characters of a key: UUIDs have 36, and Stripe takes 255.
const maxLength = 255

// A string, and parameters that may follow it. A comma there could join the values of a header that was sent twice.
// https://www.rfc-editor.org/rfc/rfc8941#section-3.3
const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"(?:;[^,"]*)?$/

// Without a comma, which joins the values of a header that was sent twice.
const plain = /^[!-+\--~]+$/

/** The key of a request; why it is wrong; or undefined where the request has none. */
export type KeyHeader = { readonly key: string } | { readonly problem: string } | undefined

/**
 * Reads the header with the key. The draft of the IETF writes a string in quotes, and most clients
 * write the same key without them: both are the same key. Parameters after the quotes say nothing.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/}
 */
export const readKeyHeader = (name: string, given: string | null | undefined): KeyHeader => {
  const value = given?.trim()
  if (value === undefined) return undefined
  const [, inQuotes] = quoted.exec(value) ?? []
  const key = inQuotes?.replace(/\\(.)/g, '$1') ?? value
  if (key === '') return undefined
  if (inQuotes === undefined && !(plain.test(value) && !value.includes('"'))) {
    return {
      problem: `The header ${name} must be one key: visible ASCII without a comma, or a string in quotes.`,
    }
  }
  if (key.length > maxLength) {
    return { problem: `The header ${name} must have at most ${maxLength} characters.` }
  }
  return { key }
}
