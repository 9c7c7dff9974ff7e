import { isLockLostError, Redlock } from '../../src/index.ts'
import type { Batch, Env, Job } from './job.ts'

/** Here the report would be made. */
const make = async (id: string, signal: AbortSignal): Promise<void> => {
  await new Promise((resolve) => setTimeout(resolve, 500))
  signal.throwIfAborted()
  console.log(`made report ${id}`)
}

const run = async ({ id, lock: serialized }: Job, env: Env): Promise<void> => {
  // Carries on with the lock of the request that asked for the work.
  const lock = Redlock.fromEnv(env).adopt(serialized)
  // Asks the nodes: had the message waited for too long, the lock would be gone.
  await lock.extend()
  await make(id, lock.signal)
  // Only now: what has failed is delivered again, and finds its lock.
  await lock.release()
}

/** The consumer of the queue. What fails is delivered again, as long as its lock lives. */
export const consume = async (batch: Batch, env: Env): Promise<void> => {
  for (const message of batch.messages) {
    try {
      await run(message.body, env)
      message.ack()
    } catch (error) {
      // Without the lock it is not to be done: somebody may have asked for it anew.
      if (isLockLostError(error)) message.ack()
      else message.retry()
    }
  }
}
