import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { failLast, idempotency } from '../../work.js'

export default defineEventHandler(
  withIdempotency({ ...idempotency, failures: 'replay' }, (event) => failLast(keyOf(event))),
)
