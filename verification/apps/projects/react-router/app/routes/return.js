import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order } from '../../work.js'

export const action = withIdempotency(idempotency, async (args) =>
  Response.json({ order: await order(keyOf(args)) }, { status: 201 }),
)
