import { createFileRoute } from '@tanstack/react-router'
import { withThrottle } from 'edge-redlock/fetch'
import { keyOf } from '../key.js'
import { order, protectedBy } from '../../work.js'

const POST = withThrottle({ ...protectedBy(keyOf), window: 10_000 }, async (context) =>
  Response.json({ order: await order(keyOf(context)) }, { status: 201 }),
)

export const Route = createFileRoute('/throttle')({ server: { handlers: { POST } } })
