import type { Scenario } from './scenario.ts'

/** Injects a fault at random moments until `end`, as a Poisson process. */
const injectAtRandom = (
  { loop }: Scenario,
  perSecond: number,
  end: number,
  inject: () => void,
): void => {
  if (perSecond === 0) return
  const next = (): void => {
    const delay = (-Math.log(1 - loop.random.unit()) / perSecond) * 1000
    if (loop.now() + delay > end) return
    loop.after(delay, () => {
      inject()
      next()
    })
  }
  next()
}

/** Schedules the faults of processes, servers and links, until the end. */
export const injectRandomFaults = (scenario: Scenario, end: number): void => {
  const { loop, rates, servers, urls, clients, network, recorder, maxTtl } = scenario
  const { random, trace } = loop
  const anyProcess = () => random.pick(clients).process
  const schedule = (rate: number, name: string, inject: () => void): void =>
    injectAtRandom(scenario, rate, end, () => {
      recorder.covered(name)
      inject()
    })
  schedule(rates.cuts, 'cut link', () =>
    network.cut(anyProcess().name, random.pick(servers).name, random.between(5, 2 * maxTtl)),
  )
  schedule(rates.hangs, 'hanging server', () =>
    network.hang(random.pick(servers).name, random.between(5, 2 * maxTtl)),
  )
  schedule(rates.flushes, 'flushed scripts', () => random.pick(servers).flushScripts())
  schedule(rates.reroutes, 'node that leads to another server', () =>
    network.reroute(random.pick(urls), random.pick(servers)),
  )
  schedule(rates.pauses, 'paused process', () =>
    anyProcess().pause(random.between(5, 3 * maxTtl), random.chance(0.5)),
  )
  schedule(rates.crashes, 'killed process', () => {
    const process = anyProcess()
    trace.say(() => `${process.name} crashes`)
    process.kill()
  })
  schedule(rates.processJumps, 'jump of a process clock', () =>
    anyProcess().jumpClock(random.between(-2, 2) * maxTtl),
  )
  schedule(rates.nodeJumps, 'jump of a server clock', () =>
    // Mostly jump forward: a clock that is ahead expires locks too early.
    random.pick(servers).jumpClock(random.between(-0.5, 1.5) * maxTtl),
  )
}
