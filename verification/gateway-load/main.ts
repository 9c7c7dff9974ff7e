import { randomBytes } from 'node:crypto'
import { Command } from 'commander'
import { reportFailure } from '../../tools/cli/report-failure.ts'
import { wholeNumber } from '../../tools/cli/whole-number.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { observeSlow } from './among-slow.ts'
import { countsOf, ranBetween } from './counts.ts'
import { kindsFor, maxBody } from './kinds.ts'
import { load } from './load.ts'
import { observeOutage } from './outage.ts'
import { startGateway } from './process.ts'
import { report, type Seen } from './report.ts'
import type { Memory } from './server.ts'
import { observeShutdown, type Shutdown } from './shutdown.ts'
import { judgeLoad, judgeMemory, judgeOutage, judgeShutdown, judgeSlow } from './verdict.ts'

// The gateway as people run it, in a process of its own over a real Redis: right requests and wrong
// ones, slow clients, a thousand connections, an outage of Redis, and shutdowns under load.

const { json, seconds } = new Command('npm run bench:gateway --')
  .description('Load the gateway with right, wrong and slow clients, an outage, and shutdowns')
  .option('--json', 'print the result as JSON')
  .option('--seconds <count>', 'of load on all kinds of requests together', wholeNumber(3600), 30)
  .parse()
  .opts<{ json?: true; seconds: number }>()

// Shorter than what one would run with, so that it is seen here.
const settings = {
  token: randomBytes(24).toString('base64url'),
  maxBody,
  headersTimeout: 2000,
  requestTimeout: 4000,
  grace: 2000,
}
const rounds = 3

const redis = await startRedis()
/** What clients saw of one gateway, kind after kind, and what was wrong with it. */
const observeLoads = async (): Promise<Omit<Seen, 'outage' | 'shutdowns'> & Wrong> => {
  const gateway = await startGateway({ ...settings, redis: redis.port })
  try {
    const rows: Seen['rows'][number][] = []
    const complaints: string[] = []
    let commands = 0
    let before = await countsOf(redis.port)
    const ran = async (): Promise<Record<string, number>> => {
      const after = await countsOf(redis.port)
      const counts = ranBetween(before, after)
      before = after
      commands += counts.incr ?? 0
      return counts
    }
    let first: Memory | undefined
    const kinds = kindsFor(gateway.token)
    for (const kind of kinds) {
      const url = `http://127.0.0.1:${gateway.port}`
      const result = await load(url, kind, seconds * kind.share)
      rows.push({ name: kind.name, load: result })
      complaints.push(...judgeLoad(kind, result, await ran()))
      first ??= await gateway.collected()
    }
    const beside = { ...kinds[0]!, name: 'a command, among slow clients', connections: 10 }
    const slow = await observeSlow(gateway, beside, settings.requestTimeout / 1000)
    rows.push({ name: beside.name, load: slow.load })
    complaints.push(...judgeLoad(beside, slow.load, await ran(), slow.inTime.length))
    complaints.push(...judgeSlow(slow, settings.requestTimeout))
    if (!gateway.isUp()) complaints.push('the gateway crashed')
    const memory = { first: first!, last: await gateway.collected(), peak: gateway.peak() }
    complaints.push(...judgeMemory(memory))
    return { rows, commands, slow: slow.ends, memory, complaints }
  } finally {
    await gateway.end()
  }
}
type Wrong = { readonly complaints: string[] }

try {
  const { complaints, ...loads } = await observeLoads()
  const outage = await observeOutage(settings)
  complaints.push(...judgeOutage(outage))
  const shutdowns: Shutdown[] = []
  for (let round = 0; round < rounds; round++) {
    const shutdown = await observeShutdown({ ...settings, redis: redis.port })
    complaints.push(...judgeShutdown(shutdown, settings.grace))
    shutdowns.push(shutdown)
  }
  const seen = { ...loads, outage, shutdowns }
  const isMet = complaints.length === 0
  if (!isMet) process.exitCode = 1
  console.log(json ? JSON.stringify({ isMet, complaints, ...seen }) : report(seen, complaints))
} catch (error) {
  reportFailure(error)
} finally {
  await redis.stop()
}
