import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order } from '../../work.js'

export const POST = withIdempotency(idempotency, async (event) => {
  const { item } = await event.request.json()
  return Response.json({ item, order: await order(keyOf(event)) }, { status: 201 })
})
