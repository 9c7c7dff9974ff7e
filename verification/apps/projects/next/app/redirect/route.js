import { redirect } from 'next/navigation'
import { withIdempotency } from 'edge-redlock/idempotency'
import { idempotency, order } from '../../work.js'
import { keyOf } from '../key.js'

export const POST = withIdempotency(idempotency, async (request) => {
  redirect(`/done?order=${await order(keyOf(request))}`)
})
