import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromEnv } from 'edge-redlock'

// What the handlers of all apps do. The harness counts it, since responses may hide a second run.

/** Options of a handler that is protected by idempotency. */
export const idempotency = { redlock: () => fromEnv(), scope: () => 'user', wait: 10_000 }

/** Options of a handler that is protected by a lock or a throttle. */
export const protectedBy = (key) => ({ redlock: () => fromEnv(), key })

const tell = async (what, key) => {
  const response = await fetch(`${process.env.COUNTER}/${what}/${key}`, { method: 'POST' })
  return response.json()
}

/** An effect of 100 ms: returns an id that no other run has. */
export const order = async (key) => {
  await tell('begin', key)
  await sleep(100)
  await tell('end', key)
  return randomUUID()
}

/** Throws in the first run of each key. */
export const failFirst = async (key) => {
  if ((await tell('run', key)) === 1)
    throw new Error('The first run fails, as the harness expects.')
}

/** Has its effect, then throws. Neither the text nor the id in it may reach a client by a replay. */
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
