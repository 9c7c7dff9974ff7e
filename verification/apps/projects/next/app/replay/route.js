import { withIdempotency } from 'edge-redlock/idempotency'
import { failLast, idempotency } from '../../work.js'
import { keyOf } from '../key.js'

export const POST = withIdempotency({ ...idempotency, failures: 'replay' }, (request) =>
  failLast(keyOf(request)),
)
