'use server'
import { redirect } from 'next/navigation'
import { fromEnv, lockKey } from 'edge-redlock'
import { once } from 'edge-redlock/idempotency'

/** How many submits of each form have arrived, and how often it has run. */
const arrived = new Map()
const runs = new Map()

/** @param {FormData} form */
export const submit = async (form) => {
  const id = form.get('id')
  const count = (map) => map.set(id, (map.get(id) ?? 0) + 1)
  count(arrived)
  const order = await once(fromEnv(), lockKey('order', id), { keepFor: 60_000 }, async () => {
    count(runs)
    // Both submits are there before the run ends.
    while (arrived.get(id) < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    return crypto.randomUUID()
  })
  redirect(`/done?order=${order}&runs=${runs.get(id)}`)
}
