import { noteHeard } from './process/isolate-cache.ts'
import { isRetryable, nodeError } from '../protocol/node.ts'
import type { AboutKeys, KeyCommand } from '../protocol/command.ts'
import { identityKey, tombstoneKind } from '../protocol/keys.ts'
import type { Reply } from '../protocol/reply.ts'
import { answerOf } from './answer-of.ts'
import { newIdentity } from './distinct-servers.ts'
import type { Attempt } from './attempt.ts'
import type { Answer } from './quorum.ts'
import type { Operation } from './rule.ts'

// The maximum length of an error message in a report, in characters.
const maxMessage = 200

// A client may pick several idle connections that are already dead before it opens a new one.
const maxRepeats = 3

/** Sends the command to one node, and calls `onAnswer` once with the node's answer or failure. */
export type Send = (
  index: number,
  signal: AbortSignal,
  onAnswer: (index: number, answer: Answer) => void,
  repeats?: number,
) => void

/** The fields that all commands of an attempt share. */
export const aboutKeysOf = ({ subject, value }: Attempt): AboutKeys => {
  const { client, ownerKeys: keys, fenceKeys: fences, metadata } = subject
  const { prefix, fenceTtl } = client
  return {
    keys,
    fences,
    tombstone: prefix + tombstoneKind + value,
    identity: prefix + identityKey,
    owner: metadata ? `${value} ${metadata}` : value,
    value,
    fenceTtl,
  }
}

/**
 * Prepares the sending of a command. If a connection breaks, the command is sent again, so that no lock fails because a
 * load balancer dropped idle connections. This is safe because every command is idempotent.
 *
 * @param requestsToCome - The number of requests that the round has yet to send and count.
 */
export const senderOf = (
  { subject, value }: Attempt,
  { frees }: Operation,
  command: KeyCommand,
  requestsToCome: () => number,
): Send => {
  const { client, budget } = subject
  const { nodes, guards } = client
  const onResend = (): void => budget.take(1)
  const identity = newIdentity()

  const send: Send = (index, signal, onAnswer, repeats = 0) => {
    const node = nodes[index]!
    const guard = guards[index]
    // Each request needs a new ID, because the URL may lead to another server when a request is repeated.
    const serverId = index + repeats * nodes.length + identity
    const onReply = (reply: Reply): void => {
      noteHeard(client, index)
      const answer = answerOf(node.name, command.op, reply, guard)
      onAnswer(index, repeats ? { ...answer, isRepeated: true } : answer)
    }
    const onFailure = (error: unknown): void => {
      // The budget must still cover a release on each node, and the requests that this round has yet to send.
      const needed = Math.max(frees ? 0 : nodes.length, requestsToCome())
      const isOver = repeats >= maxRepeats || signal.aborted || budget.left <= needed
      if (!isOver && isRetryable(error)) {
        onResend()
        send(index, signal, onAnswer, repeats + 1)
        return
      }
      if (!signal.aborted) noteHeard(client, index, true)
      onAnswer(index, {
        node: node.name,
        status: 'error',
        error: nodeError(error, value, maxMessage),
      })
    }
    let reply: Promise<Reply>
    try {
      reply = node.run(command, { signal, serverId, onResend, guard })
    } catch (error) {
      // A custom node can throw. A rejected promise reports the error later, because no answer may arrive while
      // requests are still being sent.
      reply = Promise.reject(error)
    }
    void Promise.resolve(reply).then(onReply, onFailure)
  }
  return send
}
