import { withLock } from 'edge-redlock/fetch'
import { lock, throttle } from 'edge-redlock/hono'
import { idempotent } from 'edge-redlock/idempotency'
import { Redlock } from 'edge-redlock'

// Each call is wrong, and the compiler says so at the line that names the option.

const redlock = new Redlock({ nodes: [{ url: 'https://one.example.com', token: 'secret' }] })

// names windw
throttle({ redlock, key: 'submit', windw: 5_000 })
// names window
throttle({ redlock, key: 'submit' })
// names onLocked
lock({ redlock, key: 'report', onLocked: () => new Response() })
// names payload
lock({ redlock, key: 'report', statuses: { payload: 409 } })
// names key
withLock({ redlock }, () => new Response())
// names scope
idempotent({ redlock })
// names record
idempotent({ redlock, scope: () => 'user', record: () => true })
