import { existsSync } from 'node:fs'
import { appendFile, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openRedlock } from '../../examples/postgres/redlock.ts'

// A process that acquires one lock again and again, over the databases of the example, until a file tells it to stop:
// `node --import ./from-sources.ts compete-process.ts FOLDER URL...`. The file `holder` exists while somebody holds the lock.

const [folder = '', ...urls] = process.argv.slice(2)
const { redlock, close } = openRedlock(urls)
const rejected: Record<string, number> = {}
let held = 0

while (!existsSync(join(folder, 'stop'))) {
  const lock = await redlock.acquire('job', { ttl: 10_000, wait: 2_000 }).catch((error: Error) => {
    rejected[error.name] = (rejected[error.name] ?? 0) + 1
    return undefined
  })
  if (!lock) continue
  const token = await lock.fencingToken()
  // Fails if another process holds the lock.
  await (await open(join(folder, 'holder'), 'wx')).close()
  await appendFile(join(folder, 'tokens'), `${token}\n`)
  await pause(Math.random() * 4)
  await rm(join(folder, 'holder'))
  held++
  await lock.release()
}
await close()
console.log(JSON.stringify({ held, rejected }))
