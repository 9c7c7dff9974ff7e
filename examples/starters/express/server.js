import express from 'express'
import { lockKey } from 'edge-redlock'
import { throttle } from 'edge-redlock/node'
import { redlock } from './redlock.js'

const app = express()
app.use(express.static('public'))

const userOf = (req) => req.get('x-user') // replace with your session lookup
app.use((req, res, next) => (userOf(req) ? next() : res.status(401).send('Sign in first')))

// Accepts one submission per user in five seconds; others are rejected with 429.
const key = (req) => lockKey('submit', userOf(req))
app.post('/submit', throttle({ redlock, key, window: 5_000 }), (req, res) => {
  res.status(202).json({ submission: crypto.randomUUID() })
})

const port = Number(process.env.PORT ?? 3000)
const server = app.listen(port, () => console.log(`http://localhost:${port}`))
// Finish the requests in progress.
process.once('SIGTERM', () => server.close())
