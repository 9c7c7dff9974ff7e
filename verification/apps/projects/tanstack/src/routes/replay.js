import { createFileRoute } from '@tanstack/react-router'
import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { failLast, idempotency } from '../../work.js'

const POST = withIdempotency({ ...idempotency, failures: 'replay' }, (context) =>
  failLast(keyOf(context)),
)

export const Route = createFileRoute('/replay')({ server: { handlers: { POST } } })
