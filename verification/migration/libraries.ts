import type { Contestant } from '../comparison/contestants/contestant.ts'
import { redisSemaphore } from '../comparison/contestants/redis-semaphore.ts'
import { redlock4 } from '../comparison/contestants/redlock-4.ts'
import { redlock5, sesamecare } from '../comparison/contestants/redlock-5.ts'
import { redlockUniversal } from '../comparison/contestants/redlock-universal.ts'

/** A published library that locks on several servers, and the `keyName` that matches its keys. */
export type Library = {
  readonly contestant: Contestant
  readonly keyName: (key: string) => string
}

const unchanged = (key: string): string => key

/** The libraries on several servers. docs/guides/migrate.md has the same table. */
export const libraries: readonly Library[] = [
  { contestant: redlock5, keyName: unchanged },
  { contestant: redlock4, keyName: unchanged },
  { contestant: sesamecare, keyName: unchanged },
  { contestant: redisSemaphore, keyName: (key) => `mutex:${key}` },
  { contestant: redlockUniversal, keyName: unchanged },
]
