import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { failFirst, idempotency, order } from '../../work.js'

export default defineEventHandler(
  withIdempotency(idempotency, async (event) => {
    await failFirst(keyOf(event))
    return { order: await order(keyOf(event)) }
  }),
)
