import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { failFirst, idempotency, order } from '../../work.js'

export const POST = withIdempotency(idempotency, async (event) => {
  await failFirst(keyOf(event))
  return Response.json({ order: await order(keyOf(event)) }, { status: 201 })
})
