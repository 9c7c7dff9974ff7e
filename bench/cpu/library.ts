/** A lock that is held; its holder can release it. */
export type Held = { readonly release: () => Promise<unknown> }

/** Acquires one key. A library with an object per key makes that object beforehand. */
export type Acquire = () => Promise<Held>

/** One library with its defaults, apart from the ttl, over nodes that answer at once. */
export type Library = {
  readonly name: string
  readonly open: () => (key: string) => Acquire
}
