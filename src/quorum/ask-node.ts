import { nodeError } from '../nodes/node.ts'
import { readReply } from '../protocol/reply.ts'
import type { Operation, ScriptCall } from '../protocol/script.ts'
import type { Lease } from './lease.ts'
import { askIdentity } from './node-identity.ts'
import type { Answer } from './tally.ts'

// Characters of an error message that are worth reporting.
const maxMessage = 200

/**
 * Sends one call to one node, and keeps count of the requests that are left and of the grants that
 * are possible there.
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
  requests.left--
  if (operation === 'a') possibleGrants[index]!++
  try {
    const reply = await node.run(askIdentity(call, client, index), signal)
    const [report, server] = readReply(operation + call.args[1], reply, node.name)
    if (report.status === 'error') return report
    // Where the transport may deliver a request again, a refusal says nothing about the other delivery.
    if (operation < 'i' && report.status === 'locked' && !node.resends) possibleGrants[index]!--
    return { ...report, server }
  } catch (error) {
    return { node: node.name, status: 'error', error: nodeError(error, value, maxMessage) }
  }
}
