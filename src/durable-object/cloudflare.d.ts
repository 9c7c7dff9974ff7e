// The part of the workerd module that this folder uses. In a project, `wrangler types` provides the full types, but
// these would conflict with the DOM types here. The built package does not contain this file.
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
