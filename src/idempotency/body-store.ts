/**
 * Keeps bodies that are too large for Redis. The record on the nodes has the id of the body and its
 * SHA-256, so a store may lose a body or be late with it, and never passes off another one for it.
 */
export type BodyStore = {
  /** Keeps a body under a new id, for at least `ttl` ms. */
  readonly put: (id: string, body: Uint8Array<ArrayBuffer>, ttl: number) => Promise<unknown>
  /** Reads a body; undefined or null where there is none. */
  readonly get: (id: string) => Promise<Uint8Array<ArrayBuffer> | null | undefined>
}
