import { adopt, fromEnv, isLockLostError } from 'edge-redlock'
import type { Batch, Env, Job } from './job.ts'

/** A placeholder for the real report. */
const make = async (id: string, signal: AbortSignal): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, 500))
  signal.throwIfAborted()
  console.log(`made report ${id}`)
}

const run = async ({ id, lock: serialized }: Job, env: Env): Promise<void> => {
  // Adopts the lock of the request that enqueued the job.
  const lock = adopt(fromEnv(env), serialized)
  // This throws if the lock expired because the message waited too long.
  await lock.extend()
  await make(id, lock.signal)
  // Do not release in a `finally` block: a failed job is delivered again, and still needs its lock.
  await lock.release()
}

/** The consumer of the queue. A failed job is retried as long as its lock is valid. */
export const consume = async (batch: Batch, env: Env): Promise<void> => {
  for (const message of batch.messages) {
    try {
      await run(message.body, env)
      message.ack()
    } catch (error) {
      // Do not run a job without its lock, because another request may have enqueued the job again.
      if (isLockLostError(error)) message.ack()
      else message.retry()
    }
  }
}
