import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order } from '../../work.js'

export default defineEventHandler(
  withIdempotency(idempotency, async (event) => {
    setResponseStatus(event, 201)
    return { order: await order(keyOf(event)) }
  }),
)
