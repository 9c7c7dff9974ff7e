import type { Receiver, Recording } from '../world/recording.ts'
import { nodeCount, slotsOf } from '../world/settings.ts'

const numbers = ['no', 'one', 'two', 'three', 'four', 'five']

/** `1`, `1 and 2`, `1, 2 and 4`. */
const list = (words: readonly (string | number)[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** `1 to 5` where the numbers follow each other, otherwise a list. */
const series = (indexes: readonly number[]): string => {
  const sorted = indexes.toSorted((a, b) => a - b).map((index) => index + 1)
  const [first = 0, last = 0] = [sorted[0], sorted.at(-1)]
  const isRow = sorted.length > 2 && last - first === sorted.length - 1
  return isRow ? `${first} to ${last}` : list(sorted)
}

const group = (word: string, indexes: readonly number[]): string =>
  `${word}${indexes.length > 1 ? 's' : ''} ${series(indexes)}`

/** `client 1`, or `clients 1 to 10`. */
export const clients = (...indexes: readonly number[]): string => group('client', indexes)

/** `node 1`, `nodes 1, 2 and 4`, or `all five nodes`. */
export const nodes = (indexes: readonly number[]): string =>
  indexes.length === nodeCount ? `all ${numbers[nodeCount]} nodes` : group('node', indexes)

/** `node 1`, or `the store`. */
export const receiver = (to: Receiver): string => (to === 'store' ? 'the store' : nodes([to]))

/** `No node`, or `Only two of five nodes`. */
export const onlySome = (count: number): string =>
  count === 0 ? 'No node' : `Only ${numbers[count]} of ${numbers[nodeCount]} nodes`

/** A whole number with separators, the same wherever the page is read. */
export const number = (value: number): string => Math.round(value).toLocaleString('en')

/** What clients want of the nodes. */
export type Thing = 'lock' | 'slot' | 'claim'

/** The thing that clients want of the nodes: `lock`, a `slot` of it, or `claim` of a request. */
export const thing = ({ settings }: Pick<Recording, 'settings'>): Thing => {
  if (settings.kind === 'request') return 'claim'
  return slotsOf(settings) > 1 ? 'slot' : 'lock'
}

/** `lock`, `claim` or `slot 2`. Slots count from 0. */
export const thingOf = (recording: Pick<Recording, 'settings'>, slot: number): string =>
  thing(recording) === 'slot' ? `slot ${slot + 1}` : thing(recording)

/** `340 ms`, or `2.5 s`. */
export const duration = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${Number((ms / 1_000).toFixed(1))} s`

// Ms. A call that took longer has waited.
const waited = 250

/** ` after 2.5 s` for a call that has waited, otherwise no text. */
export const afterText = (elapsed: number): string =>
  elapsed > waited ? ` after ${duration(elapsed)}` : ''

/** A sentence begins with a capital letter. */
export const sentence = (text: string): string => text[0]!.toUpperCase() + text.slice(1)
