import { parseReply, type ReplyTuple } from '../../../tools/redis-wire.ts'
import { slotScript } from '../../../src/redis/scripts/slot-script.ts'
import { waitScript } from '../../../src/redis/scripts/wait-script.ts'
import type { Answer } from '../recording.ts'

const list = new Intl.ListFormat('en')

export const nameClient = (client: number): string => `client ${client + 1}`

/** Names one node or several, which are in order. */
export const nameNodes = (nodes: readonly number[]): string => {
  const [first = 0, last = first] = [nodes[0], nodes.at(-1)]
  if (nodes.length === 1) return `node ${first + 1}`
  const isRange = nodes.length > 2 && last - first === nodes.length - 1
  if (isRange) return `nodes ${first + 1} to ${last + 1}`
  return `nodes ${list.format(nodes.map((node) => `${node + 1}`))}`
}

/** The client whose lock value or answer is in a text; see `startClient`. */
export const clientIn = (text: string): number => Number(/.*\bh?c(\d)[x-]/.exec(text)![1])

/** Whether a text of a node is that of a recorded answer; see `sendRequest`. */
export const isAnswer = (text: string): boolean => text.includes('answer')

/** What a client wants of nodes, by the operation of the script. */
const purposes: Readonly<Record<string, string>> = {
  a: 'asks NODES for the lock',
  c: 'sends its answer to NODES',
  e: 'extends its lock on NODES',
  i: 'looks for an answer on NODES',
  l: 'leaves the queue of NODES',
  r: 'releases its lock on NODES',
  w: 'joins the queue of NODES',
}

/** The script of a command, and the operation that it is to do. */
const readCommand = (body: string): readonly [sha: string, operation: string] => {
  const words = JSON.parse(body) as readonly string[]
  return [words[1]!, words[3 + Number(words[2])]!]
}

/** What a client wants with a request; one without a command asks for a stream. */
export const purposeOf = (body: string | undefined): string =>
  body === undefined ? 'opens a stream to NODES' : purposes[readCommand(body)[1]]!

/** What the reply of a node to a command means to the client: its kind, and the sentence that says so. */
export const readReply = (
  body: string,
  reply: unknown,
  client: string,
): readonly [answer: Answer, text?: string] => {
  const [script, operation] = readCommand(body)
  const isSlot = script === slotScript.sha
  if (script === waitScript.sha) return ['asked']
  const { status, left, holder } = parseReply(reply as ReplyTuple)
  if (operation === 'r') {
    return ['released', `${status === 'granted' ? 'releases the' : 'has no'} lock of ${client}`]
  }
  if (status === 'locked') {
    const by = nameClient(clientIn(holder))
    if (isAnswer(holder)) return ['recorded', `has the answer of ${by}`]
    return [
      'rejected',
      `rejects ${client}, because ${isSlot ? 'all slots are taken' : `${by} has its lock`}`,
    ]
  }
  if (operation === 'c') return ['recorded', `records the answer of ${client}`]
  if (status !== 'granted') return ['asked', `has nothing for ${client}`]
  return ['granted', `grants ${client} ${isSlot ? `slot ${left}` : 'its lock'}`]
}
