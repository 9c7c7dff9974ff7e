// Characters of a key: UUIDs have 36, and Stripe takes 255.
const maxLength = 255

// A string, and parameters that may follow it. A comma there could join the values of a header that was sent twice.
// https://www.rfc-editor.org/rfc/rfc8941#section-3.3
const quoted = /^"((?:[ !#-[\]-~]|\\["\\])*)"(?:;[^,"]*)?$/

// Without a comma, which joins the values of a header that was sent twice.
const plain = /^[!-+\--~]+$/

/**
 * Reads the header with the key: the key, which is empty if the request has none; or why it is wrong. The draft of
 * the IETF writes a string in quotes, and most clients write the same key without them: both are the same key.
 * Parameters after the quotes say nothing.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/}
 */
export const readKeyHeader = (
  name: string,
  given: string | null | undefined,
): string | readonly ['invalid-key', detail: string] => {
  const value = given?.trim() ?? ''
  const [, inQuotes] = quoted.exec(value) ?? []
  const key = inQuotes?.replace(/\\(.)/g, '$1') ?? value
  const isPlain = plain.test(value) && !value.includes('"')
  if (key && ((inQuotes === undefined && !isPlain) || key.length > maxLength)) {
    return [
      'invalid-key',
      `The header ${name} must be one key of at most ${maxLength} characters: visible ASCII without a comma, or a string in quotes.`,
    ]
  }
  return key
}
