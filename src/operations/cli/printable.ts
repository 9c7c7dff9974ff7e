import { safeText } from '../../util/safe-text.ts'

/**
 * Makes text safe to print. Replaces control characters, so that a server cannot move the terminal's cursor, and masks
 * tokens, in case a server sends one back.
 */
export const printable =
  (tokens: readonly string[]) =>
  (text: string): string =>
    safeText(text, ...tokens)
