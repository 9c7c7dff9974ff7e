import { withIdempotency } from 'edge-redlock/idempotency'
import { failFirst, idempotency, order } from '../../work.js'
import { keyOf } from '../key.js'

export const POST = withIdempotency(idempotency, async (request) => {
  await failFirst(keyOf(request))
  return Response.json({ order: await order(keyOf(request)) }, { status: 201 })
})
