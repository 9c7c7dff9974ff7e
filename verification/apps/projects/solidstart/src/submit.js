import { action, redirect } from '@solidjs/router'
import { fromEnv, lockKey } from 'edge-redlock'
import { once } from 'edge-redlock/idempotency'
import { order } from '../work.js'

export const submit = action(async (form) => {
  'use server'
  const id = form.get('id')
  const options = { keepFor: 60_000, wait: 10_000 }
  return once(fromEnv(), lockKey('order', id), options, async () => {
    throw redirect(`/done?order=${await order(id)}`, 303)
  })
}, 'submit')
