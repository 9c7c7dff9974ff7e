import { safeText } from '../../util/safe-text.ts'

/**
 * Makes text safe to print: servers may not move the cursor of a terminal, and no token is shown, even
 * if a server sends one back.
 */
export const printable =
  (tokens: readonly string[]) =>
  (text: string): string =>
    safeText(text, ...tokens)
