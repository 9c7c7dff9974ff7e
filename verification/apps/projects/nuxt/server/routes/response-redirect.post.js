import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order } from '../../work.js'

export default defineEventHandler(
  withIdempotency(idempotency, async (event) => {
    const location = `/done?order=${await order(keyOf(event))}`
    return new Response(null, { status: 303, headers: { location } })
  }),
)
