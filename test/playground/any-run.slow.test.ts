import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readLink, writeLink } from '../../docs/playground/link/link.ts'
import { scenarios } from '../../docs/playground/scenarios/all.ts'
import { narrate } from '../../docs/playground/story/narrate.ts'
import { countsAt } from '../../docs/playground/view/counts.ts'
import { drawBars, drawGaps, drawMessages, drawTicks } from '../../docs/playground/view/drawing.ts'
import { clientsAt, nodesAt } from '../../docs/playground/view/moment.ts'
import { requestRows } from '../../docs/playground/view/request-rows.ts'
import { seatsAt } from '../../docs/playground/view/seats.ts'
import { makeTimeScale } from '../../docs/playground/view/time-scale.ts'
import { lanesOf } from '../../docs/playground/view/lanes.ts'
import { type Action, nodeFaults } from '../../docs/playground/world/actions.ts'
import type { Recording } from '../../docs/playground/world/recording.ts'
import { run } from '../../docs/playground/world/run.ts'
import { nodeCount, ranges, type Settings, slotsOf } from '../../docs/playground/world/settings.ts'

// Whatever visitors set, press and pass on.

const within = ({ min, max }: { min: number; max: number }) => fc.integer({ min, max })
const node = fc.nat(nodeCount - 1)
const at = fc.oneof(fc.nat(200), fc.nat(8_000))
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ at, kind: fc.constantFrom(...nodeFaults), node }),
  fc.record({
    at,
    kind: fc.constant('pause' as const),
    client: fc.nat(4),
    time: fc.integer({ min: 1, max: 6_000 }),
  }),
  fc.record({ at, kind: fc.constant('click' as const) }),
)
const settings: fc.Arbitrary<Settings> = fc.record({
  scenario: fc.constantFrom(...scenarios.map(({ id }) => id)),
  seed: within(ranges.seed),
  clients: within(ranges.clients),
  gap: within(ranges.gap),
  wait: fc.oneof(fc.constant(0), within(ranges.wait)),
  strategy: fc.constantFrom('parallel', 'frugal'),
  kind: fc.constantFrom('lock', 'request'),
  limit: within(ranges.limit),
  waiting: fc.constantFrom('poll', 'wake'),
  ttl: within(ranges.ttl),
  work: within(ranges.work),
  latency: fc.array(within(ranges.latency), { minLength: nodeCount, maxLength: nodeCount }),
  actions: fc.array(action, { maxLength: 12 }),
})

/** All that the page may show of a run, as text. */
const shown = (recording: Recording): string => {
  const scale = makeTimeScale(recording)
  const canvas = {
    recording,
    scale,
    lanes: lanesOf(recording.clients, slotsOf(recording.settings)),
    perMs: 2,
  }
  const gaps = drawGaps(canvas)
  return [0, recording.end / 3, recording.end]
    .flatMap((time) => [
      nodesAt(recording, time),
      clientsAt(recording, time),
      seatsAt(recording, time),
      requestRows(recording, time),
      countsAt(recording, time),
    ])
    .concat([drawBars(canvas), drawMessages(canvas), drawTicks(canvas, gaps)] as never[])
    .flatMap((list) =>
      JSON.stringify(list, (_, value: unknown) => (Number.isNaN(value) ? 'NaN' : value)),
    )
    .concat(narrate(recording).map(({ text }) => text))
    .join('\n')
}

it('a link keeps whatever was set', () => {
  fc.assert(
    fc.property(settings, (given) => {
      expect(readLink(writeLink(given))).toEqual({ settings: given, problems: [] })
    }),
  )
})

it('every run ends, has no more holders than its limit, and can be shown', async () => {
  await fc.assert(
    fc.asyncProperty(settings, async (given) => {
      const recording = await run(given)
      expect(countsAt(recording, Infinity).atOnce).toBeLessThanOrEqual(slotsOf(given))
      expect(recording.end).toBeLessThan(60_000)
      const last = (client: number) => recording.phases.findLast((one) => one.client === client)
      for (let client = 0; client < recording.clients; client++) {
        expect(last(client)?.phase).toMatch(
          /^(done|stale|answered|replayed|stopped|refused|unavailable)$/,
        )
      }
      const isWrong = (line: string): boolean =>
        /undefined|NaN|Infinity|-\d+ ms|\bnode 0|(?<!five )\bnodes? *[.,]/.test(line)
      expect(shown(recording).split('\n').filter(isWrong)).toEqual([])
    }),
    { numRuns: 200 },
  )
}, 120_000)
