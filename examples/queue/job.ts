import type { SerializedLock } from 'edge-redlock'

/** A message: the job and its lock, including the secret of the lock. */
export type Job = { readonly id: string; readonly lock: SerializedLock }

/** The bindings of the Worker; `wrangler types` generates the complete type. */
export type Env = {
  readonly REDLOCK_NODES: string
  readonly JOBS: { readonly send: (job: Job) => Promise<unknown> }
}

/** The part of a batch that the consumer uses. */
export type Batch = {
  readonly messages: readonly {
    readonly body: Job
    readonly ack: () => void
    readonly retry: () => void
  }[]
}
