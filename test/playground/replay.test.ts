import { expect, it } from 'vitest'
import { readLink, writeLink } from '../../docs/playground/link/link.ts'
import { scenarios } from '../../docs/playground/scenarios/all.ts'
import { makeTimeScale } from '../../docs/playground/view/time-scale.ts'
import type { Action } from '../../docs/playground/world/actions.ts'
import { run } from '../../docs/playground/world/run.ts'
import type { Settings } from '../../docs/playground/world/settings.ts'
import { runScenario } from './recordings.ts'

const actions: readonly Action[] = [
  { at: 10, kind: 'hang', node: 2 },
  { at: 30, kind: 'click' },
  { at: 45, kind: 'pause', client: 1, time: 500 },
  { at: 200, kind: 'recover', node: 2 },
  { at: 210, kind: 'kill', node: 0 },
  { at: 220, kind: 'restart', node: 4 },
]

const unusual: Settings = {
  scenario: 'crowd',
  seed: 77,
  clients: 7,
  gap: 5,
  wait: 500,
  strategy: 'frugal',
  kind: 'request',
  limit: 2,
  waiting: 'wake',
  ttl: 1_500,
  work: 300,
  latency: [10, 120, 35, 5, 300],
  actions,
}

it('a link keeps all settings', () => {
  expect(readLink(writeLink(unusual))).toEqual({ settings: unusual, problems: [] })
  for (const { settings } of scenarios) {
    expect(readLink(writeLink(settings))).toEqual({ settings, problems: [] })
    const calm = { ...settings, actions: [] }
    expect(readLink(writeLink(calm))).toEqual({ settings: calm, problems: [] })
  }
})

it('a link needs no characters that are escaped', () => {
  expect(encodeURI(writeLink(unusual))).toBe(writeLink(unusual))
  expect(writeLink(unusual)).toMatchInlineSnapshot(
    `"scenario=crowd&seed=77&clients=7&gap=5&wait=500&limit=2&ttl=1500&work=300&strategy=frugal&kind=request&waiting=wake&latency=10.120.35.5.300&do=10.hang.3_30.click_45.pause.2.500_200.recover.3_210.kill.1_220.restart.5"`,
  )
})

it.each(scenarios)('$id: the same link gives the same run', async ({ settings }) => {
  for (const seed of [1, 2, 3]) {
    const link = writeLink({ ...settings, seed })
    const [first, second] = [await run(readLink(link).settings), await run(readLink(link).settings)]
    expect(second).toEqual(first)
  }
})

it('runs at the same time do not disturb each other', async () => {
  const alone = await run(unusual)
  const together = await Promise.all([run(unusual), runScenario('crowd'), run(unusual)])
  expect(together[0]).toEqual(alone)
  expect(together[2]).toEqual(alone)
})

it('another seed gives another run', async () => {
  const [one, two] = [await runScenario('crowd'), await runScenario('crowd', { seed: 2 })]
  expect(one.messages).not.toEqual(two.messages)
})

it('what is added to a run changes nothing before it', async () => {
  for (const [index, action] of actions.entries()) {
    const before = await run({ ...unusual, actions: actions.slice(0, index) })
    const after = await run({ ...unusual, actions: actions.slice(0, index + 1) })
    const past = <T extends { at: number }>(list: readonly T[]): T[] =>
      list.filter(({ at }) => at < action.at)
    expect(past(after.phases)).toEqual(past(before.phases))
    expect(past(after.nodes)).toEqual(past(before.nodes))
    expect(past(after.facts)).toEqual(past(before.facts))
  }
})

it.each([
  ['scenario=none', /names the scenario "none", which is none of double-click, one-answer, crowd/],
  ['clients=0', /clients is "0". It must be a whole number from 1 to 12; 2 is used instead/],
  ['seed=x', /seed is "x"/],
  ['ttl=1e3', /ttl is "1e3"/],
  ['strategy=fast', /strategy is "fast". It must be parallel or frugal/],
  ['limit=5', /limit is "5". It must be a whole number from 1 to 4; 1 is used instead/],
  ['waiting=sleep', /waiting is "sleep". It must be poll or wake/],
  ['latency=1.2', /latency must have 5 numbers/],
  ['latency=10.10.10.10.9999', /latency is "9999"/],
  ['do=10.hang.6', /"10.hang.6" is no action/],
  ['do=10.hang', /"10.hang" is no action/],
  ['do=x', /"x" is no action/],
  ['do=10.pause.1', /"10.pause.1" is no action/],
  ['do=99999.click', /"99999.click" is no action/],
  [`do=${'1.click_'.repeat(60)}`, /has 60 actions. The first 50 are used/],
])('a wrong link says what is wrong: %s', async (query, message) => {
  const { settings, problems } = readLink(query)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(message)
  expect((await run(settings)).end).toBeGreaterThan(0)
})

it('the time scale is a bijection that shortens only what is empty', async () => {
  for (const { settings } of scenarios) {
    const recording = await run(settings)
    const scale = makeTimeScale(recording)
    expect(scale.length).toBeLessThan(recording.end)
    for (let time = 0; time <= recording.end; time += 3.7) {
      expect(scale.timeAt(scale.placeOf(time))).toBeCloseTo(time, 6)
    }
    for (const { sentAt, executedAt } of recording.messages) {
      const isInGap = (at: number): boolean =>
        scale.gaps.some(({ from, to }) => at > from && at < to)
      expect(isInGap(sentAt) || isInGap(executedAt ?? 0)).toBe(false)
    }
  }
})
