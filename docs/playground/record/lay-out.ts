import type { Bar, Cut, Message, Recording, Step } from '../recording.ts'
import type { Notes } from './notes.ts'
import type { Scene } from './scenes.ts'

// Ms. Where nothing happens for longer than the first, the timeline takes the second.
const [longestPause, shortPause] = [25, 14]
// Ms behind the last step, so that its words have room.
const tail = 12

/** Places the moments of a history on a timeline that cuts long pauses short. */
const placeMoments = (moments: readonly number[]) => {
  const cuts: Cut[] = []
  const places = new Map<number, number>()
  let [last, place] = [0, 0]
  for (const moment of moments.toSorted((a, b) => a - b)) {
    const time = moment - last
    const from = place
    const isCut = time > longestPause
    place += isCut ? shortPause : time
    if (isCut) cuts.push({ from: round(from), to: round(place), time: Math.round(time) })
    places.set(moment, place)
    last = moment
  }
  return { cuts, placeOf: (moment: number): number => round(places.get(moment)!) }
}

const round = (time: number): number => Math.round(time * 10) / 10

/** Makes steps of sentences: those of one moment are one step. */
const toSteps = (told: ReturnType<Notes['told']>, placeOf: (at: number) => number): Step[] => {
  const steps: Step[] = []
  for (const { at, text } of told) {
    const [last, place] = [steps.at(-1), placeOf(at)]
    if (last?.place === place) last.text += ` ${text}`
    else steps.push({ place, at: round(at), text })
  }
  return steps
}

/** The history of a scene as the page draws it. */
export const layOut = (scene: Scene, { messages, bars, told }: Notes): Recording => {
  const { id, nodes, slots = 1, hasStore = false } = scene
  const all = told()
  const times = (message: Message): number[] =>
    [message.sent, message.there, message.back].filter((at) => at !== undefined)
  const end = Math.max(...all.map(({ at }) => at), ...messages.flatMap(times)) + tail
  const endOf = (bar: Bar): number => Math.min(bar.to, end)
  const moments = [end, ...all.map(({ at }) => at), ...messages.flatMap(times)]
  const { cuts, placeOf } = placeMoments([
    ...moments,
    ...bars.flatMap((bar) => [bar.from, endOf(bar)]),
  ])
  const placeBar = (bar: Bar): Bar => ({
    ...bar,
    from: placeOf(bar.from),
    to: placeOf(endOf(bar)),
  })
  const place = (at: number | undefined) => (at === undefined ? at : placeOf(at))
  return {
    id,
    clients: 1 + Math.max(...messages.map(({ client }) => client)),
    nodes,
    slots,
    hasStore,
    length: placeOf(end),
    messages: messages.map(({ client, to, answer, sent, there, back }) => {
      const places = { sent: place(sent), there: place(there), back: place(back) }
      return { client, to, answer, ...places }
    }),
    bars: bars.map(placeBar),
    steps: toSteps(all, placeOf),
    cuts,
  }
}
