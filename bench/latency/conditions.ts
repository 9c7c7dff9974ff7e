import { type Fault, hang, refuse, sleep } from '../../verification/comparison/faults.ts'
import { remote } from '../shared/distance.ts'

/** What stands between the clients and the servers. */
export type Weather = {
  readonly name: string
  readonly usual: Fault
  /** Before the first server, where that is another one. */
  readonly first?: Fault
  /** What the middle acquire may take against its minimum; undefined: only to be looked at. */
  readonly most?: number
}

const late = 100

const slow: Fault = async (send, about) => {
  const reply = await remote(send, about)
  await sleep(late)
  return reply
}

export const weathers: readonly Weather[] = [
  { name: 'all well', usual: remote, most: 1.05 },
  { name: `one ${late} ms late`, usual: remote, first: slow },
  { name: 'one hung', usual: remote, first: hang, most: 1.05 },
  { name: 'one refused', usual: remote, first: refuse },
  { name: 'no distance', usual: (send) => send() },
]
