import { isLostConnection } from '../nodes/lost-connection.ts'
import { nodeError } from '../nodes/node.ts'
import { keyLockingLockScript } from '../protocol/lock-script.ts'
import { readReply } from '../protocol/reply.ts'
import type { Operation, ScriptCall } from '../protocol/script.ts'
import { RedlockError } from '../util/redlock-error.ts'
import { hintOf } from './error-hints.ts'
import type { Lease } from './lease.ts'
import { askIdentity, forgetIdentity, noteIdentity } from './node-identity.ts'
import { isLeftAlone, noteAsked, noteHeard } from './silent-nodes.ts'
import type { Answer } from './tally.ts'

// Characters of an error message that are worth reporting.
const maxMessage = 200

const silent = 'was not asked, since it does not answer'

// A client may take a few idle connections, all of them dead, before it opens a new one.
const maxRepeats = 3

/** A reply, and whether the call was sent more than once. */
type Delivered = readonly [reply: unknown, isRepeated: boolean]

/**
 * Sends a call, and again if its connection has ended: a lock must not fail because a balancer has
 * forgotten idle connections. Every operation has the same effect twice as once.
 */
const deliver = async (
  { client: { nodes }, requests }: Lease,
  call: ScriptCall,
  index: number,
  signal: AbortSignal,
): Promise<Delivered> => {
  const node = nodes[index]!
  for (let repeats = 0; ; repeats++) {
    try {
      return [await node.run(call, signal), repeats > 0]
    } catch (error) {
      // A release of each node must stay possible.
      const kept = call.args[0] === 'r' ? 0 : nodes.length
      const isOver = repeats >= maxRepeats || signal.aborted || requests.left <= kept
      if (isOver || !isLostConnection(nodeError(error))) throw error
      call.onResend?.()
    }
  }
}

/**
 * Sends one call to one node, and keeps count of the grants that are possible there.
 *
 * @returns the answer of the node: what it replied, or how it failed. Never rejects.
 */
export const askNode = async (
  lease: Lease,
  operation: Operation,
  call: ScriptCall,
  index: number,
  signal: AbortSignal,
): Promise<Answer> => {
  const { client, possibleGrants, requests, value } = lease
  const node = client.nodes[index]!
  // A release is only for nodes that were asked.
  if (operation !== 'r' && isLeftAlone(client, index)) {
    requests.left++
    // Counted by the round.
    if (operation === 'e') possibleGrants[index]!--
    return { node: node.name, status: 'error', error: new RedlockError(silent) }
  }
  if (operation === 'a') possibleGrants[index]!++
  noteAsked(client, index)
  try {
    const asked = askIdentity(call, client, index)
    const { keyLocking = keyLockingLockScript } = asked.script
    const own = node.keyLocking ? { ...asked, script: keyLocking } : asked
    const [reply, isRepeated] = await deliver(lease, own, index, signal)
    noteHeard(client, index)
    const report = readReply(operation + call.args[1], reply, node.name, call.namesHolders)
    if (report.status === 'error') return report
    const server = noteIdentity(client, index, report.server)
    // A refusal says nothing about another delivery of the same call.
    const isOnce = !isRepeated && !node.resends
    if (operation < 'i' && report.status === 'locked' && isOnce) possibleGrants[index]!--
    return { ...report, server, isRepeated }
  } catch (error) {
    forgetIdentity(client, index)
    if (!signal.aborted) noteHeard(client, index, true)
    const failure = nodeError(error, value, maxMessage)
    const hint = hintOf(node, failure.message)
    failure.message = failure.message.slice(0, maxMessage - hint.length) + hint
    return { node: node.name, status: 'error', error: failure }
  }
}
