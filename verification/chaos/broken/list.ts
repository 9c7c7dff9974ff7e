import type { Patch as NamedPatch } from '../../../tools/patch-copy.ts'

/** A change to the sources. Its name is that of its variant. */
export type Patch = Omit<NamedPatch, 'name'>

/** Patches that break the sources on purpose, and the checks that must fail as a result. */
export type Broken = { readonly patches: readonly Patch[]; readonly noticedBy: readonly string[] }

const majority = 'const majority = (nodes.length >> 1) + 1'

/** Each variant removes one safeguard. */
const single = {
  /** Two of five nodes suffice for a lock. */
  quorum: {
    patches: [
      {
        file: 'src/core/options/resolve-options.ts',
        find: majority,
        replace: 'const majority = Math.max(1, nodes.length >> 1)',
      },
    ],
    noticedBy: ['exclusion'],
  },
  /** A release deletes the lock, even if another client holds it. */
  values: {
    patches: [
      {
        file: 'src/redis/scripts/lock.lua',
        find: `operation == 'r' and currentOwner == owner`,
        replace: `operation == 'r'`,
      },
    ],
    noticedBy: ['exclusion'],
  },
  /** The guard accepts every write. */
  guards: {
    patches: [
      {
        file: 'src/guards/redis-guard.lua',
        find: 'if highest and tonumber(highest) > tonumber(ARGV[1]) then',
        replace: 'if false then',
      },
    ],
    noticedBy: ['stale write through a guard'],
  },
  /** A lock counts as held until it is released. */
  validity: {
    patches: [
      {
        file: 'src/core/lock/lock-state.ts',
        find: 'export const isHeld = (state: LockState): boolean => expiresIn(state) > 0',
        replace: 'export const isHeld = (state: LockState): boolean => !state.hasEnded',
      },
    ],
    noticedBy: ['held after its end'],
  },
  /** Keys live for twice their TTL. */
  ttl: {
    patches: [
      {
        file: 'src/redis/scripts/lock.lua',
        find: 'ttl = math.max(ttl, left)',
        replace: 'ttl = math.max(2 * ttl, left)',
      },
    ],
    noticedBy: ['a key that outlives its ttl'],
  },
  /** A node grants a slot that another client holds. */
  slots: {
    patches: [
      {
        file: 'src/redis/scripts/slot.lua',
        find: 'local index = own or free',
        replace: 'local index = own or free or first',
      },
    ],
    noticedBy: ['holders'],
  },
} satisfies Record<string, Broken>

/** The broken variants, by name. */
export const broken = {
  ...single,
  /** All of these together. */
  all: {
    patches: Object.values(single).flatMap(({ patches }) => patches),
    noticedBy: [...new Set(Object.values(single).flatMap(({ noticedBy }) => noticedBy))],
  },
  /** Locks require every node. */
  minority: {
    patches: [
      {
        file: 'src/core/options/resolve-options.ts',
        find: majority,
        replace: 'const majority = nodes.length',
      },
    ],
    noticedBy: ['not available'],
  },
  /** The first extension starts a third of the TTL after the acquire has returned, which can be too late. */
  'keep-alive': {
    patches: [
      {
        file: 'src/core/lock/keep-alive.ts',
        find: 'schedule(Math.min(ttl / 3, expiresIn(state) - validity / 2))',
        replace: 'schedule(ttl / 3)',
      },
    ],
    noticedBy: ['lost lock'],
  },
} satisfies Record<string, Broken>

export type BrokenName = keyof typeof broken
export const brokenNames = Object.keys(broken) as BrokenName[]
