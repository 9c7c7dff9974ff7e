import type { Message, Phase, Recording } from '../world/recording.ts'
import { nodeCount, slotsOf } from '../world/settings.ts'

// The drawing of the timeline: bars in lanes, and messages from one lane to another. All positions are times;
// the component turns them into pixels.

/** A bar in the lane of a client or a node. */
export type Bar = {
  readonly index: number
  readonly from: number
  readonly to: number
  /** Whose colour it has; undefined for a fault. */
  readonly client: number | undefined
  /** The slot of a node, from 0 on; undefined for what concerns the whole lane. */
  readonly slot?: number | undefined
  readonly kind:
    | 'asks'
    | 'waits'
    | 'holds'
    | 'late'
    | 'answer'
    | 'paused'
    | 'hangs'
    | 'down'
    | 'abstains'
}

/** The last phases, which have no bar but a word behind the bar. */
const words: Partial<Record<Phase, string>> = {
  refused: 'refused',
  unavailable: 'unavailable',
  done: 'done',
  stale: 'write refused',
  stopped: 'stopped',
  answered: 'answered',
  replayed: 'same answer',
}

const kinds: Partial<Record<Phase, Bar['kind']>> = {
  asking: 'asks',
  waiting: 'waits',
  working: 'holds',
  writing: 'holds',
  releasing: 'asks',
  recording: 'asks',
  paused: 'paused',
}

/** Joins bars that follow each other in the same place and look the same. */
const joined = (bars: readonly Bar[]): readonly Bar[] => {
  const result: Bar[] = []
  for (const bar of bars) {
    const last = result.at(-1)
    const goesOn =
      last?.to === bar.from &&
      last.index === bar.index &&
      last.kind === bar.kind &&
      last.slot === bar.slot &&
      last.client === bar.client
    if (goesOn) result[result.length - 1] = { ...last, to: bar.to }
    else result.push(bar)
  }
  return result
}

const clientIndexes = ({ clients }: Recording): readonly number[] => [...Array(clients).keys()]

/** The part of a bar in which the client still held the lock, and the part in which it was too late. */
const splitAtExpiry = ({ holds }: Recording, bar: Bar): readonly Bar[] => {
  const expiry = holds.find((hold) => hold.client === bar.client)?.to ?? bar.to
  if (bar.kind !== 'holds' || expiry >= bar.to) return [bar]
  const late: Bar = { ...bar, from: Math.max(bar.from, expiry), kind: 'late' }
  return expiry > bar.from ? [{ ...bar, to: expiry }, late] : [late]
}

/** The bars of the clients. */
export const clientBars = (recording: Recording): readonly Bar[] =>
  clientIndexes(recording).flatMap((client) => {
    const phases = recording.phases.filter((one) => one.client === client)
    const bars = phases.flatMap(({ at, phase }, index): Bar[] => {
      const kind = kinds[phase]
      const to = phases[index + 1]?.at ?? recording.end
      return kind ? [{ index: client, from: at, to, client, kind }] : []
    })
    return joined(bars.flatMap((bar) => splitAtExpiry(recording, bar)))
  })

/** How the calls of the clients ended, and when. */
export const endings = (recording: Recording): { client: number; at: number; word: string }[] =>
  clientIndexes(recording).flatMap((client) => {
    const last = recording.phases.findLast((one) => one.client === client)
    const word = last && words[last.phase]
    return word ? [{ client, at: last.at, word }] : []
  })

/** The holders whose locks the nodes hold, the answers that they have recorded, and their faults. */
export const nodeBars = ({ nodes, end, settings }: Recording): readonly Bar[] =>
  Array.from({ length: nodeCount }, (_, node) => {
    const states = nodes.filter((one) => one.node === node)
    const count = slotsOf(settings)
    const bars = states.flatMap((state, position): Bar[] => {
      const from = Math.max(0, state.at)
      const next = states[position + 1]?.at ?? end
      const bar = (kind: Bar['kind'], to: number, client?: number, slot?: number): Bar[] =>
        to > from ? [{ index: node, from, to, client, kind, slot }] : []
      const held = state.slots.flatMap(({ holder, expiresAt }, slot) => {
        if (holder === undefined) return []
        return bar('holds', Math.min(next, expiresAt), holder, count > 1 ? slot : undefined)
      })
      const answer = state.answer === undefined ? [] : bar('answer', next, state.answer)
      const fault = state.health === 'well' ? [] : bar(state.health, next)
      return held.concat(answer, fault, bar('abstains', Math.min(next, state.abstainsUntil)))
    })
    const places = [...Array(count).keys(), undefined]
    const isFault = ({ client }: Bar): boolean => client === undefined
    return places.flatMap((slot) => {
      const there = bars.filter((one) => one.slot === slot)
      return joined(there.filter((bar) => !isFault(bar))).concat(joined(there.filter(isFault)))
    })
  }).flat()

/** How the answer to a message looks. */
export const toneOf = ({ verdict, operation }: Message): 'good' | 'bad' | 'plain' | 'wake' => {
  if (operation === 'wake') return 'wake'
  if (verdict === 'open' || verdict === 'queued') return 'plain'
  if (operation === 'release' && verdict !== 'failed') return 'plain'
  if (verdict === 'granted' || verdict === 'accepted' || verdict === 'recorded') return 'good'
  return verdict === undefined ? 'plain' : 'bad'
}

/** A step of the axis that leaves room for its labels, in ms. */
export const tickStep = (pixelsPerMs: number): number =>
  [5, 10, 20, 50, 100, 200].find((step) => step * pixelsPerMs >= 52) ?? 500
