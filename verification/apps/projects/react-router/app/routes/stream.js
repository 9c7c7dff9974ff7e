import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order, pieces } from '../../work.js'

export const action = withIdempotency(
  idempotency,
  async (args) => new Response(pieces(await order(keyOf(args)))),
)
