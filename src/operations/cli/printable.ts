import { safeText } from '../../util/safe-text.ts'

/**
 * Makes text safe to print. It replaces control characters, so that a server cannot move the cursor of a terminal, and
 * masks tokens, even if a server sends one back.
 */
export const printable =
  (tokens: readonly string[]) =>
  (text: string): string =>
    safeText(text, ...tokens)
