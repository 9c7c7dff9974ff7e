import type { Operation } from './rule.ts'

// How long a node remembers a release, in ms, so that a late acquire with the same secret is rejected.
export const tombstoneTtl = 60_000

export const acquiring: Operation = {
  make: (about, terms) => ({ op: 'acquire', ...about, ...terms }),
  writes: true,
  locks: true,
}
export const extending: Operation = {
  make: (about, terms) => ({ op: 'extend', ...about, ...terms }),
  writes: true,
  restores: true,
}
export const inspecting: Operation = { make: (about) => ({ op: 'inspect', ...about }) }
export const releasing: Operation = {
  make: (about) => ({ op: 'release', ...about, tombstoneTtl }),
  frees: true,
}
