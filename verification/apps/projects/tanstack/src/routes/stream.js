import { createFileRoute } from '@tanstack/react-router'
import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order, pieces } from '../../work.js'

const POST = withIdempotency(
  idempotency,
  async (context) => new Response(pieces(await order(keyOf(context)))),
)

export const Route = createFileRoute('/stream')({ server: { handlers: { POST } } })
