import { redirect } from 'react-router'
import { withIdempotency } from 'edge-redlock/idempotency'
import { keyOf } from '../key.js'
import { idempotency, order } from '../../work.js'

export const action = withIdempotency(idempotency, async (args) => {
  throw redirect(`/done?order=${await order(keyOf(args))}`)
})

export default function Page() {
  return <p>Orders</p>
}
