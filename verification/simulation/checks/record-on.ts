import type { Server } from '../engine/server.ts'

/** The content of a key's record on a server; undefined if there is none. */
export const recordOn = ({ entries, wall }: Server, key: string): string | undefined => {
  const entry = entries.get(`lock:r:${key}`)
  if (!entry || wall() > entry.expiresAt) return undefined
  return /^\S* d \d+ \S+ (.*)$/.exec(entry.value)?.[1]
}
