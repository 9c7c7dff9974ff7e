import { Hono } from 'hono'
import { idempotent } from 'edge-redlock/idempotency'
import type { LockVariables } from 'edge-redlock/hono'
import { type Env, redlock } from './context.ts'

type HandInEnv = Env & { Variables: LockVariables & { user: string } }

/** The page makes one key per form, so both clicks of a double click have the same one. */
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Hand in</title>
<h1>Hand in</h1>
<button>Hand in</button> Click it twice.
<ol></ol>
<script>
  const key = crypto.randomUUID()
  const list = document.querySelector('ol')
  document.querySelector('button').onclick = async () => {
    const headers = { 'idempotency-key': key, 'x-user': 'ada', 'content-type': 'text/plain' }
    const line = list.appendChild(document.createElement('li'))
    line.textContent = '...'
    const response = await fetch(location.href, { method: 'POST', headers, body: 'my essay' })
    const { receipt } = await response.json()
    const isReplay = response.headers.get('idempotent-replayed') === 'true'
    line.textContent = response.status + ' ' + receipt + (isReplay ? ' (replayed)' : '')
  }
</script>
</html>`

/**
 * Hands an assignment in once. The second click waits for the receipt of the first, and gets it, as
 * does every retry within a day.
 */
export const handIn = new Hono<HandInEnv>()
  .get('/assignments/:id/hand-in', (c) => c.html(page))
  .post(
    '/assignments/:id/hand-in',
    async (c, next) => {
      // A real platform takes the user from its session.
      c.set('user', c.req.header('x-user') || 'somebody')
      return next()
    },
    idempotent<HandInEnv>({ redlock, scope: (c) => c.get('user'), wait: 10_000 }),
    async (c) => {
      // A real platform would store the files here. That takes as long as two clicks.
      await new Promise((resolve) => setTimeout(resolve, 500))
      return c.json({ receipt: crypto.randomUUID(), assignment: c.req.param('id') }, 201)
    },
  )
