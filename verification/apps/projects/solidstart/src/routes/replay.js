import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { failLast, idempotency } from '../../work.js'

export const POST = withIdempotency({ ...idempotency, failures: 'replay' }, (event) =>
  failLast(keyOf(event)),
)
