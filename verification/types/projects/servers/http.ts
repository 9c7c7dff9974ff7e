import { createServer } from 'node:http'
import { lockKey, Redlock } from 'edge-redlock'

const redlock = new Redlock({ nodes: [{ url: 'https://one.example.com', token: 'secret' }] })

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
