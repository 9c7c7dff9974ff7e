/**
 * Whether an `accept` header prefers plain text to JSON. False where both have the same quality.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1}
 */
export const prefersText = (accept: string | null | undefined): boolean => {
  const quality = (type: RegExp): number =>
    Math.max(
      ...`${accept}`
        .split(',')
        .map((range) => (type.test(range) && Number(range.split(/;\s*q=/i)[1] ?? 1)) || 0),
    )
  return quality(/^\s*text\/(plain|\*)/i) > quality(/^\s*(\*|application)\/(\*|(problem\+)?json)/i)
}
