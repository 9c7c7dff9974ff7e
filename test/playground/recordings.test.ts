import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { record } from '../../docs/playground/record/record.ts'
import { doubleClicks } from '../../docs/playground/record/double-clicks.ts'
import { scenes } from '../../docs/playground/record/scenes.ts'
import type { Bar, Recording } from '../../docs/playground/recording.ts'

// The page says in words what each scene shows. Here the recordings have to show it.

const page = await readFile('docs/playground/index.md', 'utf8')

/** How the clients of each scene end, in their order; and which of them hold the lock, one after the other. */
const outcomes: Readonly<Record<string, readonly [ends: string, holders: string]>> = {
  'free-lock': ['done', '1'],
  'split-vote': ['rejected rejected done', '3'],
  waiting: ['done done', '1 2'],
  'wake-up': ['done done', '1 2'],
  slots: ['done done done', '1 2 3'],
  'paused-holder': ['lost done', '1 2'],
  'crashed-holder': ['crashed done', '1 2'],
  'one-answer': ['answered answered', '1'],
}

/** The text of all sentences that match. */
const toldOf = ({ steps }: Recording, pattern: RegExp): string[] =>
  steps.flatMap(({ text }) => text.match(pattern) ?? [])

const barsOf = ({ bars }: Recording, label: string): Bar[] =>
  bars.filter((bar) => bar.label === label)

/** How many nodes have the lock of each client at that place. */
const keptAt = ({ bars, clients }: Recording, place: number): number[] =>
  Array.from({ length: clients }, (_, client) => {
    const own = bars.filter((bar) => bar.lane === 'node' && bar.client === client)
    return own.filter(({ from, to }) => from <= place && place < to).length
  })

const recordOf = (id: string): Promise<Recording> => record(scenes.find((one) => one.id === id)!)

it('the page has a heading and a picture of each scene, and no other', () => {
  const shown = [...page.matchAll(/<Scene id="(.*)"/g)].map(([, id]) => id)
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  )
  const ids = scenes.map(({ id }) => id)
  expect(shown).toEqual(ids)
  expect(headings).toEqual(['double-click', ...ids])
  expect(Object.keys(outcomes)).toEqual(ids)
})

it.each(scenes)('$id: the same history each time, which ends as promised', async (scene) => {
  const { id, slots = 1, nodes } = scene
  const recording = await record(scene)
  expect(await record(scene)).toEqual(recording)
  const last = (client: number) =>
    recording.bars.findLast(({ lane, index }) => lane === 'client' && index === client)?.label
  const ends = Array.from({ length: recording.clients }, (_, client) => last(client))
  const holds = barsOf(recording, 'holds')
  const holders = holds.map(({ client }) => client + 1)
  expect([ends.join(' '), holders.join(' ')]).toEqual(outcomes[id])
  for (const { client, from } of holds) {
    expect(keptAt(recording, from)[client]).toBeGreaterThan(nodes / 2)
    const atOnce = holds.filter((one) => one.from <= from && from < one.to)
    expect(atOnce.length).toBeLessThanOrEqual(slots)
  }
})

it('a split vote is one: each client has some nodes, and none a majority', async () => {
  const recording = await recordOf('split-vote')
  const { place } = recording.steps.find(({ text }) => text.includes('is rejected'))!
  const kept = keptAt(recording, place)
  expect(Math.min(...kept)).toBeGreaterThan(0)
  expect(Math.max(...kept)).toBeLessThan(3)
})

it('the clicks are as far apart as the page says', async () => {
  const { messages } = await record(doubleClicks[0]!)
  const begin = (client: number): number => messages.find((one) => one.client === client)!.sent!
  expect(page).toContain(`Two clicks, ${begin(1) - begin(0)} ms apart`)
})

// Those of the package `redlock` are tested with the site, whose dependency it is.
it.each(doubleClicks.filter(({ id }) => !id.startsWith('redlock')))(
  '$id: one of two clicks wins, without the node that is faulty',
  async (scene) => {
    const recording = await record(scene)
    expect(await record(scene)).toEqual(recording)
    expect(barsOf(recording, 'holds')).toHaveLength(1)
    expect(barsOf(recording, 'rejected')).toHaveLength(1)
    const [, fault, node = '0'] = scene.id.split('-')
    expect(toldOf(recording, new RegExp(`Node ${node} (?!keeps silent).*?\\.`))).toEqual([])
    if (fault === 'stopped') {
      const word = new RegExp(`cannot reach node ${node}`)
      const isAsked = recording.messages.some(({ to }) => to === Number(node) - 1)
      expect(toldOf(recording, word).length > 0).toBe(isAsked)
    }
  },
)

it('a message wakes the client that waits, before it asks for the last time', async () => {
  const recording = await recordOf('wake-up')
  const [wake, ...others] = recording.messages.filter(({ answer }) => answer === 'wakes')
  expect(others).toEqual([])
  expect(wake).toMatchObject({ client: 1, to: 0 })
  const asked = recording.messages.filter(
    ({ answer, client }) => answer === 'granted' && client === 1,
  )
  expect(asked.map(({ sent }) => sent)).toEqual([wake!.back, wake!.back, wake!.back])
})

it('two of three clients hold the lock with two slots at the same time', async () => {
  const [first, second, third] = barsOf(await recordOf('slots'), 'holds')
  expect(second!.from).toBeLessThan(first!.to)
  expect(third!.from).toBeGreaterThan(first!.to)
})

it('the store rejects the lower token, which comes last', async () => {
  const recording = await recordOf('paused-holder')
  const tokens = toldOf(recording, /(?<=token )[\d,]+\d/).map((text) =>
    Number(text.replaceAll(',', '')),
  )
  expect(tokens).toHaveLength(2)
  expect(tokens[0]).toBeGreaterThan(tokens[1]!)
  expect(toldOf(recording, /The store .*?\./)).toEqual([
    'The store accepts the write of client 2.',
    'The store has seen a higher token, and rejects the write of client 1.',
  ])
})

it.each(['paused-holder', 'crashed-holder'])(
  '%s: the lock expires before the next holder',
  async (id) => {
    const recording = await recordOf(id)
    expect(toldOf(recording, /The lock of client 1 expires on node \d/)).toHaveLength(3)
    const [, second] = barsOf(recording, 'holds')
    expect(keptAt(recording, second!.from)[0]).toBe(0)
  },
)

it('both requests get the answer of the first client', async () => {
  const recording = await recordOf('one-answer')
  expect(barsOf(recording, 'answer').map(({ client }) => client)).toEqual([0, 0, 0])
  expect(toldOf(recording, /Node \d has the answer of client 1/).length).toBeGreaterThan(1)
})
