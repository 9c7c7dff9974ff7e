import { isLostConnection, nodeError } from '../nodes/node.ts'
import { identityKey, tombstoneKind } from '../protocol/keys.ts'
import { lockScript } from '../protocol/lock-script.ts'
import { readReply } from '../protocol/reply.ts'
import type { ScriptCall } from '../protocol/script.ts'
import type { Lease } from './lease.ts'
import { newIdentity } from './distinct-servers.ts'
import type { Operation, Request } from './operations.ts'
import { noteHeard } from '../local/isolate-cache.ts'
import type { Answer } from './tally.ts'

// Characters of an error message that are worth reporting.
const maxMessage = 200

// Ms for which a node remembers a release, so that an acquire that arrives after it grants nothing.
const tombstoneLife = '60000'

// A client may take a few idle connections, all of them dead, before it opens a new one.
const maxRepeats = 3

/** Sends one operation to one node, and calls back once: with its reply, or with how it failed. */
export type AskNode = (
  index: number,
  signal: AbortSignal,
  onAnswer: (index: number, answer: Answer) => void,
  repeats?: number,
) => void

/** The names of the Redis keys of a lease, in the order in which the scripts expect them. */
const namesOf = ({ subject, value }: Lease): string[] => {
  const { client, namespace, keys, ownerKeys, hasFence } = subject
  const { prefix } = client
  const names: string[] = []
  for (let at = 0; at < keys.length; at++) {
    names.push(ownerKeys[at]!)
    if (hasFence) names.push(prefix + namespace.fence + keys[at]!)
  }
  names.push(prefix + tombstoneKind + value, prefix + identityKey)
  return names
}

/**
 * Prepares an operation on a lease. A request whose connection has ended is sent again: a lock must not fail
 * because a balancer has forgotten idle connections. Every operation has the same effect twice as once.
 *
 * @param counter - The fence counter that nodes are to reach.
 */
export const askerOf = (
  lease: Lease,
  operation: Operation,
  ttl: number,
  counter: number,
  request?: Request,
): AskNode => {
  const { subject, value } = lease
  const { client, hasFence, metadata, budget } = subject
  const { nodes, fenceTtl } = client
  const names = namesOf(lease)
  const owner = metadata ? `${value} ${metadata}` : value
  const echo = operation.letter + owner
  const life = operation.frees ? tombstoneLife : `${ttl}`
  const fenceLife = hasFence ? `${fenceTtl}` : '0'
  const minCounter = `${Math.floor(counter)}`
  const { script = lockScript, argument, namesHolders } = request ?? {}
  const onResend = (): number => budget.left--
  const identity = newIdentity()

  const ask: AskNode = (index, signal, onAnswer, repeats = 0) => {
    const node = nodes[index]!
    // Of each request: while it was under way, the url may have come to lead to another server.
    const id = index + repeats * nodes.length + identity
    const args: ScriptCall['args'] =
      argument === undefined
        ? [operation.letter, owner, life, fenceLife, minCounter, id]
        : [operation.letter, owner, life, fenceLife, minCounter, argument, id]
    const onReply = (tuple: unknown): void => {
      noteHeard(client, index)
      const read = readReply(echo, tuple, node.name, namesHolders)
      onAnswer(index, repeats ? { ...read, isRepeated: true } : read)
    }
    const onFailure = (error: unknown): void => {
      // A release of each node must stay possible.
      const isOver =
        repeats >= maxRepeats ||
        signal.aborted ||
        budget.left <= (operation.frees ? 0 : nodes.length)
      if (!isOver && isLostConnection(nodeError(error))) {
        onResend()
        ask(index, signal, onAnswer, repeats + 1)
        return
      }
      if (!signal.aborted) noteHeard(client, index, true)
      onAnswer(index, {
        node: node.name,
        status: 'error',
        error: nodeError(error, value, maxMessage),
      })
    }
    let reply: unknown
    try {
      reply = node.eval(script, names, args, signal, onResend)
    } catch (error) {
      // A node of the user may throw. No answer may arrive while nodes are being asked.
      reply = Promise.reject(error)
    }
    void Promise.resolve(reply).then(onReply, onFailure)
  }
  return ask
}
