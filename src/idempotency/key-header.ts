// Characters of a key: UUIDs have 36, and Stripe takes 255.
const maxLength = 255

// https://www.rfc-editor.org/rfc/rfc8941#section-3.3.3
const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/

// Without a comma, which joins the values of a header that was sent twice.
const plain = /^[!-+\--~]+$/

/** The key of a request; why it is wrong; or undefined where the request has none. */
export type KeyHeader = { readonly key: string } | { readonly problem: string } | undefined

/**
 * Reads the header with the key. The draft of the IETF writes a string in quotes, and most clients
 * write the same key without them: both are the same key.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/}
 */
export const readKeyHeader = (name: string, text: string | null | undefined): KeyHeader => {
  const value = text?.trim()
  if (value === undefined || value === '') return undefined
  const [, inQuotes] = quoted.exec(value) ?? []
  const key = inQuotes?.replace(/\\(.)/g, '$1') ?? value
  if (inQuotes === undefined && !(plain.test(value) && !value.includes('"'))) {
    return {
      problem: `The header ${name} must be one key: visible ASCII characters without a comma, or a string in quotes.`,
    }
  }
  if (key === '' || key.length > maxLength) {
    return { problem: `The header ${name} must have 1 to ${maxLength} characters.` }
  }
  return { key }
}
