import process from 'node:process'
import { openRedlock } from './redlock.ts'

// Several processes start this job at the same time, and one of them runs it: `node job.ts`.

const { redlock, close } = openRedlock(JSON.parse(process.env['DATABASE_URLS'] ?? '[]') as string[])
const result = await redlock.tryAcquire('job:report', { ttl: 30_000 })
if (result.ok) {
  // Pass the token to whatever the job writes to.
  console.log(`runs with token ${await result.lock.fencingToken()}`)
  await result.lock.release()
} else {
  console.log(`does not run: ${result.reason}`)
}
await close()
