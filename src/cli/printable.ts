/** Text without what moves the cursor of a terminal, or is not seen there. */
export const visible = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, ' ')

/**
 * Makes text safe to print: servers may not move the cursor of a terminal, and no token is shown, even
 * if a server sends one back.
 */
export const printable =
  (tokens: readonly string[]) =>
  (text: string): string => {
    let safe = visible(text)
    for (const token of tokens) safe = safe.replaceAll(token, '***')
    return safe
  }
