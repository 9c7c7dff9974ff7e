import type { SerializedLock } from '../../src/index.ts'

/** One message: the work, and the lock under which it is done. It contains the lock's secret. */
export type Job = { readonly id: string; readonly lock: SerializedLock }

/** What the Worker is bound to; `wrangler types` generates the whole. */
export type Env = {
  readonly REDLOCK_NODES: string
  readonly JOBS: { readonly send: (job: Job) => Promise<unknown> }
}

/** What of a batch is used here. */
export type Batch = {
  readonly messages: readonly {
    readonly body: Job
    readonly ack: () => void
    readonly retry: () => void
  }[]
}
