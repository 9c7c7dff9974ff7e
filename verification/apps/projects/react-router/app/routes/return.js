import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order } from '../../work.js'

export const action = withIdempotency(idempotency, async (args) => {
  const { item } = await args.request.json()
  return Response.json({ item, order: await order(keyOf(args)) }, { status: 201 })
})
