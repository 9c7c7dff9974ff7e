'use server'

import { fromEnv, lockKey, throttle } from 'edge-redlock'
import { headers } from 'next/headers'

export type State = { readonly message: string }

/** A server action: the second of two clicks on Submit gets a message. */
export async function submit(_before: State, form: FormData): Promise<State> {
  const redlock = fromEnv({
    REDLOCK_NODES: '[{"url":"https://a.example.com","token":"t"}]',
  })
  const user = (await headers()).get('x-user') ?? 'anonymous'
  const result = await throttle(redlock, lockKey('submit', user), { window: 5_000 })
  if (!result.ok) return { message: `Please try again in ${Math.ceil(result.retryAfter / 1000)} s` }
  return { message: `Received ${String(form.get('text'))}` }
}
