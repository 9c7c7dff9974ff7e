import { randomBytes } from 'node:crypto'
import { runCommand } from '../../tools/cli/command.ts'
import { countOption } from '../../tools/cli/options.ts'
import { startRedis } from '../../tools/servers/redis.ts'
import { maxBody } from './kinds.ts'
import { observeBare } from './observe-bare.ts'
import { observeLoads } from './observe-loads.ts'
import { observeOutage } from './observe-outage.ts'
import { observeShutdown, type Shutdown } from './observe-shutdown.ts'
import { observeSubscribers } from './observe-subscribers.ts'
import { reportLines } from './report.ts'
import { judgeBare, judgeOutage, judgeShutdown, judgeSubscribers } from './verdict.ts'

// Tests a gateway in a separate process over a real Redis. The load consists of correct and wrong requests, slow
// clients, a thousand connections and subscribers. It includes a bare server for comparison, an outage of Redis, and
// shutdowns under load.

const rounds = 3
const secondsPerComparison = 1

// Shorter than in production, so that a run reaches all of them.
const settings = {
  token: randomBytes(24).toString('base64url'),
  maxBody,
  headersTimeout: 2000,
  requestTimeout: 4000,
  grace: 4000,
}

await runCommand<{ seconds: number }>(
  {
    name: 'npm run bench -- gateway',
    description: 'Load the gateway with correct, wrong and slow clients, an outage, and shutdowns',
    options: {
      seconds: countOption(
        '--seconds <count>',
        'the duration of the load on all kinds of requests together',
        3600,
        30,
      ),
    },
  },
  async ({ seconds }) => {
    await using started = new AsyncDisposableStack()
    const redis = await startRedis()
    started.defer(redis.stop)
    const withRedis = { ...settings, redis: redis.port }
    const { complaints, ...loads } = await observeLoads(withRedis, seconds)
    const comparison = await observeBare(withRedis, secondsPerComparison)
    complaints.push(...judgeBare(comparison))
    const subscribers = await observeSubscribers(withRedis)
    complaints.push(...judgeSubscribers(subscribers))
    const outage = await observeOutage(settings)
    complaints.push(...judgeOutage(outage))
    const shutdowns: Shutdown[] = []
    for (let round = 0; round < rounds; round++) {
      const shutdown = await observeShutdown(withRedis)
      complaints.push(...judgeShutdown(shutdown, settings.grace))
      shutdowns.push(shutdown)
    }
    const seen = { ...loads, comparison, subscribers, outage, shutdowns }
    const isMet = complaints.length === 0
    return { isMet, json: { isMet, complaints, ...seen }, lines: reportLines(seen, complaints) }
  },
)
