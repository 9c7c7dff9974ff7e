import type { Server } from '../engine/server.ts'

/** The content of the record that a server has for a key; undefined if it has none. */
export const recordOn = ({ entries, wall }: Server, key: string): string | undefined => {
  const entry = entries.get(`lock:r:${key}`)
  if (!entry || wall() > entry.expiresAt) return undefined
  return /^\S* d \d+ \S+ (.*)$/.exec(entry.value)?.[1]
}
