import type { Situation, Word } from './situation.ts'

// The form of a transcript:
//
//   # What the situations of the file show.
//
//   acquire, 3 nodes, took 10
//     0   start             -> send 0 1 2, wake at 2000
//    10   node 0 granted    -> wake at 2000
//
// A line that begins with a word sets up a round, and each line below it that begins with a time is what happens
// then. What follows the arrow are the effects, which the test compares. Other lines are comments.

export type Kind = 'acquire' | 'extend' | 'release' | 'inspect' | 'poll'

export type Event =
  | { readonly type: 'start' | 'timer' | 'abort' }
  | {
      readonly type: 'answer'
      readonly rank: number
      readonly word: Word
      /** How old the round is by the clock of the validity. Default: as old as the line says. */
      readonly age: number | undefined
    }

export type Line =
  | { readonly type: 'comment' }
  | { readonly type: 'round'; readonly kind: Kind; readonly situation: Situation }
  | {
      readonly type: 'event'
      readonly at: number
      readonly text: string
      readonly event: Event
    }

const kinds: ReadonlySet<string> = new Set(['acquire', 'extend', 'release', 'inspect', 'poll'])

const numbersOf = (texts: readonly string[]): number[] =>
  texts.map((text) => {
    const number = Number(text)
    if (text === '' || Number.isNaN(number)) throw new Error(`not a number: ${text}`)
    return number
  })

/** Reads one part of the line that sets up a round. */
const readOption = (option: string): Partial<Situation> => {
  const [first = '', ...rest] = option.split(' ')
  if (rest[0] === 'nodes' || rest[0] === 'node') return { nodes: numbersOf([first])[0]! }
  const numbers = numbersOf(rest)
  switch (first) {
    case 'probe':
      return { isProbe: true }
    case 'order':
    case 'slow':
    case 'silent':
      return { [first]: numbers }
    case 'quorum':
    case 'concurrency':
    case 'ttl':
    case 'drift':
    case 'took':
    case 'budget':
    case 'timeout':
    case 'cancel':
    case 'deadline':
      return { [first]: numbers[0]! }
    default:
      throw new Error(`unknown option: ${option}`)
  }
}

const form =
  /^node (\d+) ([a-z]+)(?: by (\w+))?(?:, (\d+) left)?(?:, server (\w+))?(?:, age (\d+))?$/

/** Reads what a node has done. A rival of this moment has the whole `ttl` left. */
const readNode = (text: string, ttl: number): Event => {
  const found = form.exec(text)
  if (!found) throw new Error(`unknown event: ${text}`)
  const [, node, did = '', holder, left, server, age] = found
  const answer = (word: Word): Event => ({
    type: 'answer',
    rank: Number(node),
    word: { ...word, server },
    age: age === undefined ? undefined : Number(age),
  })
  switch (did) {
    case 'failed':
      return answer({ status: 'error' })
    case 'granted':
    case 'absent':
    case 'quarantined':
      return answer({ status: did })
    case 'locked':
      if (!holder) throw new Error(`nobody has locked it: ${text}`)
      return answer({ status: did, holder, ttl: left ? Number(left) : ttl })
    default:
      throw new Error(`unknown event: ${text}`)
  }
}

const readEvent = (text: string, ttl: number): Event =>
  text === 'start' || text === 'timer' || text === 'abort' ? { type: text } : readNode(text, ttl)

/** Reads the lines of a transcript, without their results. */
export const parseTranscript = (source: string): Line[] => {
  let ttl: number | undefined
  return source.split('\n').map((raw, index): Line => {
    const [given = ''] = raw.split('->')
    const text = given.trim()
    try {
      if (!text || text.startsWith('#')) return { type: 'comment' }
      const timed = /^([\d.]+)\s+(.*)$/.exec(text)
      if (timed) {
        const at = Number(timed[1])
        const event = readEvent(timed[2]!, ttl ?? 10_000)
        return { type: 'event', at, text: timed[2]!, event }
      }
      const [kind = '', ...options] = text.split(', ')
      if (!kinds.has(kind)) throw new Error(`unknown operation: ${kind}`)
      const situation: Situation = Object.assign({ nodes: 0 }, ...options.map(readOption))
      if (!situation.nodes) throw new Error('says no number of nodes')
      ttl = situation.ttl
      return { type: 'round', kind: kind as Kind, situation }
    } catch (error) {
      throw new Error(`line ${index + 1}: ${(error as Error).message}`, { cause: error })
    }
  })
}

/** Writes an event and its result as a line of a transcript. */
export const eventLine = (at: number, text: string, result: string): string =>
  `${String(at).padStart(6)}  ${text.padEnd(36)} -> ${result}`
