import { createFileRoute, redirect } from '@tanstack/react-router'
import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order } from '../../work.js'

const POST = withIdempotency(idempotency, async (context) => {
  throw redirect({ href: `/done?order=${await order(keyOf(context))}` })
})

export const Route = createFileRoute('/redirect')({ server: { handlers: { POST } } })
