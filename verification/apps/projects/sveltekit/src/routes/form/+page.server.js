import { redirect } from '@sveltejs/kit'
import { fromEnv, lockKey } from 'edge-redlock'
import { once } from 'edge-redlock/idempotency'
import { order } from '../../../work.js'

export const actions = {
  default: async ({ request }) => {
    const id = (await request.formData()).get('id')
    const options = { keepFor: 60_000, wait: 10_000 }
    await once(fromEnv(), lockKey('order', id), options, async () => {
      redirect(303, `/done?order=${await order(id)}`)
    })
  },
}
