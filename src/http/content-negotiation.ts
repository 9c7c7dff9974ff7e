/**
 * Whether plain text is asked for rather than JSON; not where both are as good.
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
