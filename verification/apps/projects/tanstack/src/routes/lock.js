import { createFileRoute } from '@tanstack/react-router'
import { withLock } from 'edge-redlock/fetch'
import { keyOf } from '../key.js'
import { order, protectedBy } from '../../work.js'

const POST = withLock(protectedBy(keyOf), async (context) =>
  Response.json({ order: await order(keyOf(context)) }, { status: 201 }),
)

export const Route = createFileRoute('/lock')({ server: { handlers: { POST } } })
