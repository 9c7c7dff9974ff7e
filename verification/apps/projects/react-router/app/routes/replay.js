import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { failLast, idempotency } from '../../work.js'

export const action = withIdempotency({ ...idempotency, failures: 'replay' }, (args) =>
  failLast(keyOf(args)),
)
