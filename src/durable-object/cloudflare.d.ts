// The part of workerd's module that this folder uses. A project gets the full types from `wrangler types`, which would
// conflict with the types of the DOM here. The built package does not contain this file.
declare module 'cloudflare:workers' {
  type SyncKvStorage = {
    get(key: string): unknown
    put(key: string, value: unknown): void
    delete(key: string): boolean
    list(options?: { startAfter?: string; limit?: number }): Iterable<[string, unknown]>
  }

  type DurableObjectStorage = {
    readonly kv: SyncKvStorage
    transactionSync<T>(run: () => T): T
    getAlarm(): Promise<number | null>
    setAlarm(time: number): Promise<void>
  }

  type DurableObjectState = {
    readonly id: { toString(): string }
    readonly storage: DurableObjectStorage
    abort(reason?: string): void
  }

  export abstract class DurableObject<Env = unknown> {
    constructor(ctx: DurableObjectState, env: Env)
    protected ctx: DurableObjectState
    protected env: Env
  }
}
