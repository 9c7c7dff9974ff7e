import { createFileRoute } from '@tanstack/react-router'
import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { failFirst, idempotency, order } from '../../work.js'

const POST = withIdempotency(idempotency, async (context) => {
  await failFirst(keyOf(context))
  return Response.json({ order: await order(keyOf(context)) }, { status: 201 })
})

export const Route = createFileRoute('/throw')({ server: { handlers: { POST } } })
