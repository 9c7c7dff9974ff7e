import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { failFirst, idempotency, order } from '../../work.js'

export const action = withIdempotency(idempotency, async (args) => {
  await failFirst(keyOf(args))
  return Response.json({ order: await order(keyOf(args)) }, { status: 201 })
})
