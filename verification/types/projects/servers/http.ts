import { createServer } from 'node:http'
import { lockKey, Redlock } from 'edge-redlock'
import { idempotent, lock, lockOf } from 'edge-redlock/node'

const redlock = new Redlock({ nodes: [{ url: 'https://one.example.com', token: 'secret' }] })

const oneAtATime = lock({ redlock, key: (req) => lockKey('report', req.url ?? '/') })
createServer((req, res) =>
  oneAtATime(req, res, async () => {
    res.end(`${await lockOf(req)?.fencingToken()}`)
  }),
)

const once = idempotent({ redlock, scope: (req) => `${req.headers['x-user']}` })
createServer(async (req, res) => {
  try {
    await once(req, res, () => res.writeHead(201).end('made'))
  } catch {
    res.writeHead(500).end()
  }
})

createServer(async (request, response) => {
  const result = await redlock.tryAcquire(lockKey('report', request.url ?? '/'), { ttl: 30_000 })
  if (!result.ok) {
    response.writeHead(409, { 'retry-after': `${Math.ceil(result.retryAfter / 1000)}` }).end()
    return
  }
  const { lock } = result
  response.once('close', () => void lock.release())
  response.end(`${lock.expiresIn}`)
})
