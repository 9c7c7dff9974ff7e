import { json } from 'node:stream/consumers'
import { adopt, fromEnv, type SerializedLock } from '../../src/index.ts'

// The consumer of a queue: adopts the lock in the message, extends it, and releases it.
const message = (await json(process.stdin)) as { job: string; lock: SerializedLock }
await using lock = adopt(fromEnv(), message.lock)
await lock.extend(60_000)
const rival = await fromEnv().tryAcquire(message.job)
const seen = rival.ok ? undefined : rival.nodes.find(({ metadata }) => metadata)?.metadata
console.log(JSON.stringify({ pid: process.pid, expiresIn: lock.expiresIn, rival: rival.ok, seen }))
