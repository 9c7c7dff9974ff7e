import { expect, inject, it } from 'vitest'
import { startRuntime } from '../../tools/servers/runtime.ts'
import { workerd } from '../../tools/servers/workerd.ts'
import { freshKey } from '../support/nodes.ts'

// The example of a double click, on workerd.

it('the second click gets the receipt of the first', async () => {
  const entry = new URL('../../examples/submit/worker.ts', import.meta.url).pathname
  const worker = await startRuntime(workerd(entry), { REDLOCK_NODES: inject('REDLOCK_NODES') })
  try {
    const path = `/assignments/${freshKey()}/hand-in`
    const headers = { 'idempotency-key': freshKey(), 'x-user': 'ada' }
    const click = async () => {
      const response = await worker.call(path, { method: 'POST', headers, body: 'my essay' })
      return { status: response.status, ...((await response.json()) as { receipt: string }) }
    }
    const [one, two] = await Promise.all([click(), click()])
    expect(one).toEqual(two)
    expect(one.status).toBe(201)
    expect(await click()).toEqual(one)
    const nobody = { 'idempotency-key': freshKey() }
    expect((await worker.call(path, { method: 'POST', headers: nobody })).status).toBe(401)
  } finally {
    await worker.stop()
  }
})
