import type { Redlock } from '../src/index.ts'

/** The same client with secrets that a test chooses. No application can: a secret must never repeat. */
export const withSecrets = (redlock: Redlock, makeValue: () => string): Redlock =>
  redlock.withClient({ ...redlock.client(), makeValue })
