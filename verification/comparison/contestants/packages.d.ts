// The types that we use of two packages: one has no types, and the package.json of the other hides them.

declare module 'redlock-4' {
  import type { Redis } from 'ioredis'

  type Lock = {
    readonly value: string
    readonly expiration: number
    extend(ttl: number): Promise<Lock>
    unlock(): Promise<void>
  }

  class Redlock {
    constructor(
      clients: readonly Redis[],
      options?: { retryCount?: number; retryDelay?: number; retryJitter?: number },
    )
    on(event: 'clientError', listener: (error: Error) => void): this
    lock(resource: readonly string[], ttl: number): Promise<Lock>
    disposer(
      resource: string,
      ttl: number,
      onReleaseError: (error: Error) => void,
    ): PromiseLike<Lock>
  }

  export = Redlock
}

declare module 'redlock-5' {
  export { Lock, Redlock as default, ExecutionError } from '@sesamecare-oss/redlock'
}
