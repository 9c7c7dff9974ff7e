import { redirect } from '@tanstack/react-router'
import { createServerFn } from '@tanstack/react-start'
import { fromEnv, lockKey } from 'edge-redlock'
import { once } from 'edge-redlock/idempotency'
import { order } from '../work.js'

export const submit = createServerFn({ method: 'POST' })
  .validator((form) => form)
  .handler(async ({ data: form }) => {
    const id = form.get('id')
    const options = { keepFor: 60_000, wait: 10_000 }
    await once(fromEnv(), lockKey('order', id), options, async () => {
      throw redirect({ href: `/done?order=${await order(id)}`, statusCode: 303 })
    })
  })
