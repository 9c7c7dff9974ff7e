import { randomBytes } from 'node:crypto'
import Table from 'cli-table3'
import { Command } from 'commander'
import { startRedis } from '../../dev/redis.ts'
import { reportFailure } from '../../dev/report-failure.ts'
import { wholeNumber } from '../../dev/whole-number.ts'
import { observeSlow } from './among-slow.ts'
import { countsOf, ranBetween } from './counts.ts'
import { kindsFor, maxBody } from './kinds.ts'
import { load, type Load } from './load.ts'
import { observeOutage } from './outage.ts'
import { startGateway } from './process.ts'
import { observeShutdown } from './shutdown.ts'
import { slowKinds } from './slow.ts'
import { judgeLoad, judgeOutage, judgeShutdown, judgeSlow } from './verdict.ts'

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
const shutdowns = 3
const mebibyte = 1_048_576
// 1,000 connections with a body each, and as much again for Node, and for garbage that V8 has not
// yet thought worth collecting.
const mostMemory = 2 * 1000 * maxBody
// And what may still be in use at the end that was not after the first kind of load.
const mostLeft = 20 * mebibyte

const complaints: string[] = []
const rows: { name: string; load: Load }[] = []
let [requests, authenticated] = [0, 0]
const note = (name: string, load: Load): void => {
  rows.push({ name, load })
  for (const count of Object.values(load.statuses)) requests += count
}
const redis = await startRedis()
try {
  const gateway = await startGateway({ ...settings, redis: redis.port })
  const { port, token } = gateway
  const url = `http://127.0.0.1:${port}`
  const kinds = kindsFor(token)
  let before = await countsOf(redis.port)
  const ran = async (): Promise<Record<string, number>> => {
    const after = await countsOf(redis.port)
    const counts = ranBetween(before, after)
    before = after
    return counts
  }
  let first: number | undefined
  for (const kind of kinds) {
    const result = await load(url, kind, seconds * kind.share)
    note(kind.name, result)
    const counts = await ran()
    complaints.push(...judgeLoad(kind, result, counts))
    authenticated += counts.incr ?? 0
    first ??= (await gateway.collected()).used
  }
  const beside = { ...kinds[0]!, name: 'a command, among slow clients', connections: 10 }
  const slow = await observeSlow(gateway, beside, settings.requestTimeout / 1000)
  note(beside.name, slow.load)
  const counts = await ran()
  authenticated += counts.incr ?? 0
  complaints.push(...judgeLoad(beside, slow.load, counts, slow.inTime.length))
  complaints.push(...judgeSlow(slow, settings.requestTimeout))
  const slowEnds = slowKinds.map((kind) => {
    const ends = slow.ends.filter((end) => end.kind === kind)
    const said = [...new Set(ends.map(({ said }) => said))].join(', ')
    return { kind, count: ends.length, said, longest: Math.max(...ends.map(({ after }) => after)) }
  })

  const peak = gateway.peak()
  const end = await gateway.collected()
  if (!gateway.isUp()) complaints.push('the gateway crashed')
  if (peak > mostMemory) complaints.push(`${(peak / mebibyte).toFixed(0)} MiB of memory`)
  const left = end.used - first!
  if (left > mostLeft) complaints.push(`${(left / mebibyte).toFixed(0)} MiB were left in use`)
  await gateway.end()

  const outage = await observeOutage(settings)
  complaints.push(...judgeOutage(outage))
  const ends = []
  for (let round = 0; round < shutdowns; round++) {
    const shutdown = await observeShutdown({ ...settings, redis: redis.port })
    complaints.push(...judgeShutdown(shutdown, settings.grace))
    ends.push(shutdown)
  }

  const isMet = complaints.length === 0
  if (!isMet) process.exitCode = 1
  const memory = { peak, end: end.rss, usedAfterFirst: first, usedAtEnd: end.used }
  if (json) {
    const results = { isMet, complaints, rows, slow: slowEnds, memory, outage, shutdowns: ends }
    console.log(JSON.stringify(results))
  } else {
    const table = new Table({ head: ['', 'requests/s', 'p99 ms', 'status'] })
    for (const { name, load } of rows) {
      const statuses = Object.entries(load.statuses).map(
        ([status, count]) => `${status} x ${count}`,
      )
      table.push([name, load.perSecond.toFixed(0), load.p99.toFixed(1), statuses.join(', ')])
    }
    console.log(table.toString())
    for (const { kind, count, said, longest } of slowEnds) {
      console.log(
        `${count} that ${kind}: told ${said}, gone after ${longest.toFixed(0)} ms at most`,
      )
    }
    console.log(
      `Redis down: ${JSON.stringify(outage.statuses)}, ${outage.counter} counted; 200 again after ${outage.recovery.toFixed(0)} ms, longest wait ${outage.longest.toFixed(0)} ms`,
    )
    for (const { answered, executed, refused, took } of ends) {
      console.log(
        `SIGTERM: ${answered} answered, ${executed} executed, ${refused} refused, ended after ${took.toFixed(0)} ms`,
      )
    }
    const mib = (bytes: number): string => (bytes / mebibyte).toFixed(0)
    console.log(
      `Memory: ${mib(peak)} MiB at most, ${mib(end.rss)} at the end; in use ${mib(first!)} MiB after the first load, ${mib(end.used)} at the end`,
    )
    for (const complaint of complaints) console.log(`WRONG: ${complaint}`)
    console.log(
      `Gateway: ${requests} requests in ${rows.reduce((sum, { load }) => sum + load.seconds, 0).toFixed(0)} s, ${authenticated} commands, ${isMet ? 'all of them with the token; nothing lost' : `${complaints.length} things wrong`}.`,
    )
  }
} catch (error) {
  reportFailure(error)
} finally {
  await redis.stop()
}
