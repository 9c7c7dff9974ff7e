import { redirect } from '@sveltejs/kit'
import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../../key.js'
import { idempotency, order } from '../../../work.js'

export const POST = withIdempotency(idempotency, async (event) => {
  redirect(303, `/done?order=${await order(keyOf(event))}`)
})
