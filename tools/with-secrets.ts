import type { Redlock } from '../src/index.ts'

/** Returns the same client with secrets that a test chooses. Applications cannot do this: secrets must never repeat. */
export const withSecrets = (redlock: Redlock, makeValue: () => string): Redlock =>
  redlock.withClient({ ...redlock.client(), makeValue })
