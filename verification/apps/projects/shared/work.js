import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromEnv } from 'edge-redlock'

// The work of the handlers in all apps. The harness counts it, because responses may hide a second run.

/** Options of a handler that is protected by idempotency. */
export const idempotency = { redlock: () => fromEnv(), scope: () => 'user', wait: 10_000 }

/** Options of a handler that is protected by a lock or a throttle. */
export const protectedBy = (key) => ({ redlock: () => fromEnv(), key })

const tell = async (what, key) => {
  const response = await fetch(`${process.env.COUNTER}/${what}/${key}`, { method: 'POST' })
  return response.json()
}

/** An effect of 100 ms: returns an ID that is unique to the run. */
export const order = async (key) => {
  await tell('begin', key)
  await sleep(100)
  await tell('end', key)
  return randomUUID()
}

/** Throws on the first run of each key. */
export const failFirst = async (key) => {
  if ((await tell('run', key)) === 1)
    throw new Error('The first run fails, as the harness expects.')
}

/** Performs its effect, then throws. A replay must not send the text or the ID in it to a client. */
export const failLast = async (key) => {
  throw new Error(`Order ${await order(key)} fails, as the harness expects.`)
}

/** A body that is sent in three pieces. */
export const pieces = (id) =>
  new ReadableStream({
    start: async (controller) => {
      for (const piece of ['first ', 'second ', id]) {
        await sleep(10)
        controller.enqueue(new TextEncoder().encode(piece))
      }
      controller.close()
    },
  })
