import { countsOf, ranBetween } from './command-counts.ts'
import { type Gateway, startGateway } from './gateway-process.ts'
import type { Memory, Settings } from './gateway-server.ts'
import { type Kind, kindsFor } from './kinds.ts'
import { load } from './load.ts'
import { observeSlow } from './observe-slow.ts'
import type { Observations } from './report.ts'
import { judgeLoad, judgeMemory, judgeSlow } from './verdict.ts'

type Loads = Omit<Observations, 'outage' | 'shutdowns' | 'subscribers' | 'comparison'> & {
  readonly complaints: string[]
}

/** Returns a function that resolves to the commands that have run since its last call. */
const commandCounter = async (port: number): Promise<() => Promise<Record<string, number>>> => {
  let before = await countsOf(port)
  return async () => {
    const after = await countsOf(port)
    const counts = ranBetween(before, after)
    before = after
    return counts
  }
}

const observeGateway = async (
  gateway: Gateway,
  { redis, requestTimeout }: Settings,
  seconds: number,
): Promise<Loads> => {
  const rows: Observations['rows'][number][] = []
  const complaints: string[] = []
  let commands = 0
  const commandsSince = await commandCounter(redis)
  const ran = async (): Promise<Record<string, number>> => {
    const counts = await commandsSince()
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
  const beside: Kind = { ...kinds[0]!, name: 'a command, among slow clients', connections: 10 }
  const slow = await observeSlow(gateway, beside, requestTimeout / 1000)
  rows.push({ name: beside.name, load: slow.load })
  complaints.push(...judgeLoad(beside, slow.load, await ran(), slow.inTime.length))
  complaints.push(...judgeSlow(slow, requestTimeout))
  if (!gateway.isUp()) complaints.push('the gateway crashed')
  const memory = { first: first!, last: await gateway.collected(), peak: gateway.peak() }
  complaints.push(...judgeMemory(memory))
  return { rows, commands, slow: slow.ends, memory, complaints }
}

/** Loads one gateway with all kinds of requests in turn, and judges the answers. */
export const observeLoads = async (settings: Settings, seconds: number): Promise<Loads> => {
  const gateway = await startGateway(settings)
  try {
    return await observeGateway(gateway, settings, seconds)
  } finally {
    await gateway.end()
  }
}
