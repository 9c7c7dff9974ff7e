import { nodeError } from '../nodes/node.ts'
import { keyLockingLockScript } from '../protocol/lock-script.ts'
import { readReply } from '../protocol/reply.ts'
import type { Operation, ScriptCall } from '../protocol/script.ts'
import type { Lease } from './lease.ts'
import { hintOf } from './error-hints.ts'
import { askIdentity, forgetIdentity, noteIdentity } from './node-identity.ts'
import type { Answer } from './tally.ts'

// Characters of an error message that are worth reporting.
const maxMessage = 200

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
  const { client, possibleGrants, value } = lease
  const node = client.nodes[index]!
  if (operation === 'a') possibleGrants[index]!++
  try {
    const asked = askIdentity(call, client, index)
    const { keyLocking = keyLockingLockScript } = asked.script
    const own = node.keyLocking ? { ...asked, script: keyLocking } : asked
    const reply = await node.run(own, signal)
    const report = readReply(operation + call.args[1], reply, node.name)
    if (report.status === 'error') return report
    const server = noteIdentity(client, index, report.server)
    // Where the transport may deliver a request again, a refusal says nothing about the other delivery.
    if (operation < 'i' && report.status === 'locked' && !node.resends) possibleGrants[index]!--
    return server === report.server ? report : { ...report, server }
  } catch (error) {
    forgetIdentity(client, index)
    const failure = nodeError(error, value, maxMessage)
    const hint = hintOf(node, failure.message)
    failure.message = failure.message.slice(0, maxMessage - hint.length) + hint
    return { node: node.name, status: 'error', error: failure }
  }
}
