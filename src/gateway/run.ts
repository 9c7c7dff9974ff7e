import type { RedisCommand } from './command.ts'
import { replyErrorText, unavailableError } from './failure.ts'
import type { ResolvedGatewayOptions } from './options.ts'
import { rejectionError } from './rejection.ts'
import { encodeReply, type Encoding } from './reply.ts'

/** The result of one command, in the JSON of a response. */
export type CommandResult = { readonly result: unknown } | { readonly error: string }

/** The status and the JSON body of a response. */
export type JsonResponse = {
  readonly status: 200 | 400 | 503
  readonly body: CommandResult | readonly CommandResult[]
}

type CommandResponse = JsonResponse & { readonly body: CommandResult }

const errorResponse = (error: unknown): CommandResponse => {
  const text = replyErrorText(error)
  return text === undefined
    ? { status: 503, body: { error: unavailableError } }
    : { status: 400, body: { error: text } }
}

/** Runs one command: 200 `{result}`, 400 if it is rejected, 503 if Redis cannot be reached. */
export const runCommand = async (
  { send, allow }: ResolvedGatewayOptions,
  command: RedisCommand,
  encoding: Encoding,
): Promise<CommandResponse> => {
  const rejected = rejectionError(command, allow)
  if (rejected !== undefined) return { status: 400, body: { error: rejected } }
  try {
    return { status: 200, body: { result: encodeReply(await send(command), encoding) } }
  } catch (error) {
    return errorResponse(error)
  }
}

/**
 * Runs commands in order. Each one is sent after the reply to the one before, so that the order is
 * kept even if `send` uses a pool of connections. When Redis cannot be reached, the remaining commands
 * are not sent: 503 if that happens at the first command, else 200 with the results so far, since the
 * client must learn which commands have run.
 */
export const runPipeline = async (
  options: ResolvedGatewayOptions,
  commands: readonly RedisCommand[],
  encoding: Encoding,
): Promise<JsonResponse> => {
  const results: CommandResult[] = []
  for (const command of commands) {
    const { status, body } = await runCommand(options, command, encoding)
    if (status === 503 && results.length === 0) return { status, body }
    results.push(body)
    if (status === 503) break
  }
  const rest = commands.slice(results.length)
  return {
    status: 200,
    body: [
      ...results,
      ...rest.map(() => ({ error: 'UNAVAILABLE Redis cannot be reached; not sent' })),
    ],
  }
}

const discarded = 'EXECABORT Transaction discarded because of'

/** Runs commands atomically: 200 with a result per command, or 400 if Redis runs none of them. */
export const runTransaction = async (
  { transaction, allow }: ResolvedGatewayOptions,
  commands: readonly RedisCommand[],
  encoding: Encoding,
): Promise<JsonResponse> => {
  for (const command of commands) {
    const error = rejectionError(command, allow)
    if (error !== undefined) return { status: 400, body: { error: `${discarded}: ${error}` } }
  }
  try {
    const replies = await transaction(commands)
    // EXEC returns null when a watched key has changed.
    if (replies === null) return { status: 400, body: { error: `${discarded} a watched key` } }
    const body = replies.map((reply) =>
      reply instanceof Error ? { error: reply.message } : { result: encodeReply(reply, encoding) },
    )
    return { status: 200, body }
  } catch (error) {
    return errorResponse(error)
  }
}
