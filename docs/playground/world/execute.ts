import { recordScript } from '../../../src/protocol/record-script.ts'
import { parseReply, type ReplyTuple } from '../../../src/protocol/reply.ts'
import type { ScriptCall } from '../../../src/protocol/script.ts'
import { slotScript } from '../../../src/protocol/slot-script.ts'
import { waitScript } from '../../../src/protocol/wait-script.ts'
import { wakingReleaseScript } from '../../../src/protocol/waking-release-script.ts'
import type { Answer } from '../../../src/vote/tally.ts'
import { grantedSlot } from '../../../src/slots/reading.ts'
import type { Message, Operation } from './recording.ts'
import { answerOf, ownerOf } from './secrets.ts'
import { isRecordText, type Server } from './servers.ts'

const operations: Readonly<Record<string, Operation>> = {
  a: 'acquire',
  e: 'extend',
  r: 'release',
  i: 'look',
  c: 'record',
  w: 'queue',
  l: 'leave',
}

/** An acquire by the script of records asks for a promise, which a record does not refuse. */
const operationOf = ({ script, args: [operation] }: ScriptCall): Operation =>
  operation === 'a' && script.sha === recordScript.sha ? 'promise' : operations[operation]!

/** The slot that a call asks for, from 0 on; undefined where it asks for any, or for a lock. */
const wantedSlot = ({ script, args }: ScriptCall): number | undefined => {
  const [, slot] = (script.sha === slotScript.sha && /^only (\d+)$/.exec(args[5] ?? '')) || []
  return slot === undefined ? undefined : Number(slot) - 1
}

const isOfQueue = ({ script }: ScriptCall): boolean => script.sha === waitScript.sha

/** What the recording says of a request when it is sent. */
export const requestOf = (call: ScriptCall): Pick<Message, 'operation' | 'attempt' | 'wanted'> => ({
  operation: operationOf(call),
  attempt: isOfQueue(call) ? 0 : ownerOf(call.args[1]).attempt,
  wanted: wantedSlot(call),
})

/** Lets the node execute the script, and writes down what it answered. */
const vote = async (
  { node, waiters }: Server,
  message: Message,
  call: ScriptCall,
  signal: AbortSignal,
): Promise<unknown> => {
  const reply = (await node.eval(call.script, call.keys, call.args, signal)) as ReplyTuple
  const { status, holder, left } = parseReply(reply)
  message.verdict = status === 'unfit' ? 'failed' : status
  if (status === 'locked') {
    const isRecord = isRecordText(holder)
    if (isRecord) message.verdict = 'recorded'
    message.holder = isRecord ? answerOf(holder) : ownerOf(holder).client
  } else if (status === 'granted' && call.script.sha === slotScript.sha) {
    message.slot = grantedSlot({ status, ttl: left } as Answer)! - 1
  }
  if (status === 'granted' && call.script.sha === wakingReleaseScript.sha) waiters.wakeFirst()
  return reply
}

/** Lets a client join or leave the queue of the node. */
const queueUp = async (
  { gate, waiters, state }: Server,
  message: Message,
  { args }: ScriptCall,
  signal: AbortSignal,
): Promise<unknown> => {
  await gate.arrive(signal)
  const [operation, id, since] = args as readonly string[]
  if (operation === 'w') waiters.join(id!, message.client, Number(since))
  else waiters.leave(id!)
  message.verdict = 'queued'
  return [`${operation}${id}`, state().slots[0]!.holder === undefined ? 1 : 0]
}

/** Lets a server execute a call, and writes down its answer. */
export const execute = (
  server: Server,
  message: Message,
  call: ScriptCall,
  signal: AbortSignal,
): Promise<unknown> => (isOfQueue(call) ? queueUp : vote)(server, message, call, signal)
