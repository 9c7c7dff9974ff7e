import { Redlock, throttle, withSlots } from 'edge-redlock'

// Each call is wrong, and the compiler says so at the line that names the option.

const nodes = [{ url: 'https://one.example.com', token: 'secret' }]
const redlock = new Redlock({ nodes })
const slots = withSlots(redlock)

// names tll
new Redlock({ nodes, tll: 5_000 })
// names driftFactor
new Redlock({ nodes, driftFactor: 0.1 })
// names strategie
await redlock.acquire('k', { strategie: 'frugal' })
// names sequential
await redlock.acquire('k', { strategy: 'sequential' })
// names minDelay
await redlock.acquire('k', { retry: { minDelay: 50 } })
// names limit
await redlock.tryAcquire('k', { limit: 3 })
// names limit
await throttle(redlock, 'k', { window: 1_000, limit: 3 })
// names wait
await throttle(redlock, 'k', { window: 1_000, wait: 3 })
// names window
await throttle(slots, 'k', { limit: 3 })
// names limitt
await slots.acquire('k', { limitt: 3 })
// names Quarantine
new Redlock({ nodes: [{ url: 'https://one.example.com', token: 'secret', volatile: true }] })
// names urls
new Redlock({ nodes: [{ urls: 'https://one.example.com', token: 'secret' }] })
