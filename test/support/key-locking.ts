import { createHash } from 'node:crypto'
import type { Script } from '../../src/protocol/script.ts'

/** The first line that `withKeyLocking` adds to a script, which only Upstash understands. */
export const firstLine = '#!lua flags=allow-key-locking\n'

/** The SHA-1 of a script with that line. */
export const keyLockingSha = ({ source }: Script): string =>
  createHash('sha1')
    .update(firstLine + source)
    .digest('hex')
