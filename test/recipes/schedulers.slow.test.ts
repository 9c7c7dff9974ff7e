import { execa } from 'execa'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { importFrom, pageModules } from './page-modules.ts'

// The cron jobs of docs/recipes/cron.md, with node-cron in several processes, over five real servers and the real clock.

const page = 'docs/recipes/cron.md'
const REDLOCK_NODES = inject('REDLOCK_NODES')

type Line = { readonly tick?: number; readonly nearest?: number; readonly ran?: number }

const startInstance = (cron: string, tick: string): (() => Line[]) => {
  let output = ''
  const child = execa(process.execPath, ['test/recipes/cron-process.ts', cron, tick], {
    env: { REDLOCK_NODES },
    reject: false,
  })
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  onTestFinished(() => void child.kill('SIGKILL'))
  const isWhole = (line: string): boolean => line.endsWith('}')
  return () =>
    output
      .split('\n')
      .filter(isWhole)
      .map((line) => JSON.parse(line) as Line)
}

it('runs a job of node-cron once per tick, whichever of three processes fires', async () => {
  const pathOf = await pageModules(page)
  const instances = [1, 2, 3].map(() => startInstance(pathOf('cron.ts'), pathOf('tick.ts')))
  const lines = (): Line[] => instances.flatMap((said) => said())
  const ticksOf = (said: () => Line[]): number[] => said().flatMap(({ tick }) => tick ?? [])
  const runs = (): number[] =>
    lines()
      .flatMap(({ ran }) => ran ?? [])
      .toSorted((a, b) => a - b)
  await vi.waitFor(() => {
    for (const said of instances) expect(ticksOf(said).length).toBeGreaterThanOrEqual(4)
    const last = Math.max(...instances.map((said) => ticksOf(said)[3]!))
    expect(runs().at(-1)).toBeGreaterThanOrEqual(last)
  }, 60_000)
  // Every tick at which an instance fired has one run, and so has each tick between two runs.
  const done = runs()
  const [first, last] = [done[0]!, done.at(-1)!]
  const all = Array.from(
    { length: (last - first) / 2_000 + 1 },
    (_, index) => first + index * 2_000,
  )
  expect(done).toEqual(all)
  expect(new Set(instances.flatMap(ticksOf).filter((tick) => tick <= last))).toEqual(new Set(all))
  // The clock names the same ticks as node-cron, as a schedule that does not name them has to.
  for (const { tick, nearest } of lines()) expect(nearest).toBe(tick)
}, 90_000)

it('a timer of Node names its tick by the nearest one, however early it fires', async () => {
  type Nearest = (step?: number, now?: number) => number
  const { nearestTick } = await importFrom<{ nearestTick: Nearest }>(page, 'tick.ts')
  const step = 20
  const start = nearestTick(step)
  const named: number[] = []
  for (let index = 1; index <= 100; index++) {
    const target = start + index * step
    await new Promise((resolve) => setTimeout(resolve, target - Date.now()))
    // A busy machine may be late for a tick; no timer may name one that is over.
    const now = Date.now()
    if (now < target + step / 2) named.push(nearestTick(step, now) - target)
  }
  expect(new Set(named)).toEqual(new Set([0]))
  const noon = Date.UTC(2026, 10, 27, 12)
  for (const late of [-29_999, -1, 0, 1, 29_999]) {
    expect(nearestTick(undefined, noon + late)).toBe(noon)
  }
}, 60_000)
