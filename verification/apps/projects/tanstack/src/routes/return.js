import { createFileRoute } from '@tanstack/react-router'
import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order } from '../../work.js'

const POST = withIdempotency(idempotency, async (context) => {
  const { item } = await context.request.json()
  return Response.json({ item, order: await order(keyOf(context)) }, { status: 201 })
})

export const Route = createFileRoute('/return')({ server: { handlers: { POST } } })
