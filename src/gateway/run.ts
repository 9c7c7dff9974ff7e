import type { RedisCommand } from './command.ts'
import { replyErrorText, unavailable } from './failure.ts'
import type { CheckedOptions } from './options.ts'
import { refusal } from './refusal.ts'
import { encodeReply, type Encoding } from './reply.ts'

/** An answer to one command, as it goes into JSON. */
export type Entry = { readonly result: unknown } | { readonly error: string }

/** An HTTP status and the JSON that goes with it. */
export type Answer = {
  readonly status: 200 | 400 | 503
  readonly body: Entry | readonly Entry[]
}

type CommandAnswer = Answer & { readonly body: Entry }

const failed = (error: unknown): CommandAnswer => {
  const text = replyErrorText(error)
  return text === undefined
    ? { status: 503, body: { error: unavailable } }
    : { status: 400, body: { error: text } }
}

/** Runs one command: 200 `{result}`, 400 `{error}` from Redis, 503 `{error}` without Redis. */
export const runCommand = async (
  { send, allow }: CheckedOptions,
  command: RedisCommand,
  encoding: Encoding,
): Promise<CommandAnswer> => {
  const refused = refusal(command, allow)
  if (refused !== undefined) return { status: 400, body: { error: refused } }
  try {
    return { status: 200, body: { result: encodeReply(await send(command), encoding) } }
  } catch (error) {
    return failed(error)
  }
}

/**
 * Runs commands in order, each after the answer to the one before, so that the order holds for any
 * `send`, a pool of connections included. Once Redis is out of reach the rest is not sent: 503 when
 * nothing was answered before, else 200, since the client must learn of what has run.
 */
export const runPipeline = async (
  options: CheckedOptions,
  commands: readonly RedisCommand[],
  encoding: Encoding,
): Promise<Answer> => {
  const entries: Entry[] = []
  for (const command of commands) {
    const { status, body } = await runCommand(options, command, encoding)
    if (status === 503 && entries.length === 0) return { status, body }
    entries.push(body)
    if (status === 503) break
  }
  const rest = commands.slice(entries.length)
  return {
    status: 200,
    body: [
      ...entries,
      ...rest.map(() => ({ error: 'UNAVAILABLE Redis cannot be reached; not sent' })),
    ],
  }
}

const discarded = 'EXECABORT Transaction discarded because of'

/** Runs commands atomically: 200 with an entry per command, or 400 when Redis runs none of them. */
export const runTransaction = async (
  { transaction, allow }: CheckedOptions,
  commands: readonly RedisCommand[],
  encoding: Encoding,
): Promise<Answer> => {
  for (const command of commands) {
    const error = refusal(command, allow)
    if (error !== undefined) return { status: 400, body: { error: `${discarded}: ${error}` } }
  }
  try {
    const replies = await transaction(commands)
    // What EXEC answers when a watched key changed.
    if (replies === null) return { status: 400, body: { error: `${discarded} a watched key` } }
    const body = replies.map((reply) =>
      reply instanceof Error ? { error: reply.message } : { result: encodeReply(reply, encoding) },
    )
    return { status: 200, body }
  } catch (error) {
    return failed(error)
  }
}
