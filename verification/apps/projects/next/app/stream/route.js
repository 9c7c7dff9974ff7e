import { withIdempotency } from 'edge-redlock/idempotency'
import { idempotency, order, pieces } from '../../work.js'
import { keyOf } from '../key.js'

export const POST = withIdempotency(
  idempotency,
  async (request) => new Response(pieces(await order(keyOf(request)))),
)
