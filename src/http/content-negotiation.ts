/**
 * Whether an `accept` header prefers plain text to JSON. False where both have the same quality.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1}
 */
export const prefersText = (accept: string | null | undefined): boolean => {
  const quality = (type: RegExp): number =>
    Math.max(
      0,
      ...(accept ?? '').split(',').flatMap((range) => {
        const [name, q] = range.toLowerCase().split(/;\s*q=/)
        return type.test(name!.trim()) ? Number(q ?? 1) || 0 : []
      }),
    )
  return quality(/^text\/(plain|\*)/) > quality(/^(\*|application)\/(\*|(problem\+)?json)/)
}
