import { Form, redirect } from 'react-router'
import { fromEnv, lockKey } from 'edge-redlock'
import { once } from 'edge-redlock/idempotency'
import { order } from '../../work.js'

export const action = async ({ request }) => {
  const id = (await request.formData()).get('id')
  const options = { keepFor: 60_000, wait: 10_000 }
  await once(fromEnv(), lockKey('order', id), options, async () => {
    throw redirect(`/done?order=${await order(id)}`, 303)
  })
}

export default function Page() {
  return (
    <Form method="post">
      <input name="id" />
    </Form>
  )
}
