import { withIdempotency } from 'edge-redlock/idempotency'
import { idempotency } from '../work.js'

const formKey = async ({ request }) => String((await request.clone().formData()).get('id'))

const protect = withIdempotency({ ...idempotency, key: formKey }, (event, resolve) =>
  resolve(event),
)

export const handle = ({ event, resolve }) =>
  event.request.method === 'POST' && event.url.pathname === '/hook'
    ? protect(event, resolve)
    : resolve(event)
