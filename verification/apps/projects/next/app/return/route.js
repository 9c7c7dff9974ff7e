import { withIdempotency } from 'edge-redlock/idempotency'
import { idempotency, order } from '../../work.js'
import { keyOf } from '../key.js'

export const POST = withIdempotency(idempotency, async (request) => {
  const { item } = await request.json()
  return Response.json({ item, order: await order(keyOf(request)) }, { status: 201 })
})
