import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { Redlock, type RestNodeOptions, type SerializedLock } from '../../src/index.ts'
import { startWorker, type Worker } from '../../tools/servers/worker.ts'
import { freshKey, holders, overRest } from '../support/nodes.ts'
import { eventually } from '../support/eventually.ts'

const variables = { REDLOCK_NODES: inject('REDLOCK_NODES') }
const nodes = JSON.parse(variables.REDLOCK_NODES) as RestNodeOptions[]
const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

let worker: Worker
beforeAll(async () => {
  // A free port instead of the default one, since other tests run at the same time.
  worker = await startWorker({ variables, config: path('wrangler.toml'), port: 0 })
}, 60_000)
afterAll(() => worker.stop())

it('a lock passes from a Worker through a queue to another process, which extends and releases it', async () => {
  const key = freshKey()
  const response = await fetch(`${worker.url}/${key}`)
  const message = (await response.json()) as { lock: SerializedLock }
  const { value } = message.lock
  const servers = overRest(nodes)
  await eventually(async () =>
    expect(await holders(servers, `lock:l:${key}`)).toEqual(Array(5).fill(`${value} the Worker`)),
  )
  expect(await new Redlock({ nodes }).tryAcquire(key)).toMatchObject({ ok: false })

  const { stdout } = await execa(process.execPath, [path('consumer.ts')], {
    env: variables,
    input: JSON.stringify(message),
  })
  const consumer = JSON.parse(stdout) as { pid: number; expiresIn: number }
  expect(consumer).toMatchObject({ rival: false, seen: 'the Worker' })
  expect(consumer.pid).not.toBe(process.pid)
  // The consumer has extended the lock beyond the ttl that the Worker asked for.
  expect(consumer.expiresIn).toBeGreaterThan(20_000)
  await eventually(async () =>
    expect(await holders(servers, `lock:l:${key}`)).toEqual(Array(5).fill(null)),
  )
}, 60_000)
