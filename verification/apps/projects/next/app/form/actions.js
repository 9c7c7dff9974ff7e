'use server'
import { redirect } from 'next/navigation'
import { fromEnv, lockKey } from 'edge-redlock'
import { once } from 'edge-redlock/idempotency'
import { order } from '../../work.js'

export const submit = async (form) => {
  const id = form.get('id')
  const options = { keepFor: 60_000, wait: 10_000 }
  await once(fromEnv(), lockKey('order', id), options, async () => {
    redirect(`/done?order=${await order(id)}`)
  })
}
