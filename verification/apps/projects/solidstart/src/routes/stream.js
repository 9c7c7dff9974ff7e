import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order, pieces } from '../../work.js'

export const POST = withIdempotency(
  idempotency,
  async (event) => new Response(pieces(await order(keyOf(event)))),
)
