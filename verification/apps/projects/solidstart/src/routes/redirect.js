import { redirect } from '@solidjs/router'
import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order } from '../../work.js'

export const POST = withIdempotency(idempotency, async (event) => {
  return redirect(`/done?order=${await order(keyOf(event))}`)
})
