import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order } from '../../work.js'

export default defineEventHandler(
  withIdempotency(idempotency, async (event) => {
    const { item } = await readBody(event)
    return { item, order: await order(keyOf(event)) }
  }),
)
