import process from 'node:process'
import { openRedlock } from './redlock.ts'

// Start this job in several processes at the same time, with `node job.ts`. Only one process runs it.

const { redlock, close } = openRedlock(JSON.parse(process.env['DATABASE_URLS'] ?? '[]') as string[])
const result = await redlock.tryAcquire('job:report', { ttl: 30_000 })
if (result.ok) {
  // Pass the token to every store to which the job writes.
  console.log(`The job runs with token ${await result.lock.fencingToken()}`)
  await result.lock.release()
} else {
  console.log(`The job does not run: ${result.reason}`)
}
await close()
