import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order } from '../../work.js'

export const POST = withIdempotency(idempotency, async (context) =>
  context.redirect(`/done?order=${await order(keyOf(context))}`, 303),
)
