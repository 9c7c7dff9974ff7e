import type { RedisCommand } from './command.ts'
import { isNotReady, replyErrorText, unavailableError } from './failure.ts'
import type { ResolvedGatewayOptions } from './options.ts'
import { rejectionError } from './rejection.ts'
import { encodeReply, type Encoding } from './reply.ts'

/** The result of one command, in the JSON of a response. */
export type CommandResult = { readonly result: unknown } | { readonly error: string }

/** The status and the JSON body of a response. */
export type JsonResponse = {
  readonly status: 200 | 400 | 503
  /** In seconds; set if nothing has run and a retry can succeed. */
  readonly retryAfter?: number
  readonly body: CommandResult | readonly CommandResult[]
}

type CommandResponse = JsonResponse & { readonly body: CommandResult }

/** The response to a failed request: 400 if Redis rejected it, 503 if Redis is not ready or unreachable. */
export const errorResponse = (error: unknown): CommandResponse => {
  const text = replyErrorText(error)
  if (text === undefined) return { status: 503, body: { error: unavailableError } }
  const body = { error: text }
  return isNotReady(text) ? { status: 503, body, retryAfter: 1 } : { status: 400, body }
}

/** The error for a command that is not allowed, because of its name or, without `allow`, because of COMMAND INFO. */
const rejection = async (
  { allow, rule }: ResolvedGatewayOptions,
  command: RedisCommand,
): Promise<string | undefined> =>
  rejectionError(command, allow) ?? (allow ? undefined : await rule.errorFor(command))

/** Runs one command: 200 with `{result}`, 400 if the command is rejected, 503 if Redis is not ready or unreachable. */
export const runRedisCommand = async (
  options: ResolvedGatewayOptions,
  command: RedisCommand,
  encoding: Encoding,
): Promise<CommandResponse> => {
  const { send } = options
  try {
    const rejected = await rejection(options, command)
    if (rejected !== undefined) return { status: 400, body: { error: rejected } }
    return { status: 200, body: { result: encodeReply(await send(command), encoding) } }
  } catch (error) {
    if (replyErrorText(error) === undefined) options.rule.forget()
    return errorResponse(error)
  }
}

/**
 * Runs commands in order. Each command is sent after the reply to the previous one, so the order is preserved even if
 * `send` uses a connection pool.
 *
 * If the first command fails because Redis is unreachable or not ready, the response is a 503. If Redis becomes
 * unreachable later, the remaining commands are not sent. The response is then a 200 with the results so far, so that
 * the client can see which commands have run. If Redis is not ready later, only that command fails, as in a Redis
 * pipeline.
 */
export const runPipeline = async (
  options: ResolvedGatewayOptions,
  commands: readonly RedisCommand[],
  encoding: Encoding,
): Promise<JsonResponse> => {
  const results: CommandResult[] = []
  for (const command of commands) {
    const response = await runRedisCommand(options, command, encoding)
    const { status, body, retryAfter } = response
    if (status === 503 && results.length === 0) return response
    results.push(body)
    if (status === 503 && retryAfter === undefined) break
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

/**
 * Runs commands atomically. The response is 200 with one result per command, 400 if no command ran, or 503 if Redis is
 * unreachable or not ready.
 */
export const runTransaction = async (
  options: ResolvedGatewayOptions,
  commands: readonly RedisCommand[],
  encoding: Encoding,
): Promise<JsonResponse> => {
  try {
    for (const command of commands) {
      const error = await rejection(options, command)
      if (error !== undefined) return { status: 400, body: { error: `${discarded}: ${error}` } }
    }
    const replies = await options.transaction(commands)
    // EXEC returns null if a watched key changed.
    if (replies === null) return { status: 400, body: { error: `${discarded} a watched key` } }
    const body = replies.map((reply) =>
      reply instanceof Error ? { error: reply.message } : { result: encodeReply(reply, encoding) },
    )
    return { status: 200, body }
  } catch (error) {
    const response = errorResponse(error)
    const text = replyErrorText(error)
    if (text === undefined) options.rule.forget()
    if (response.status === 503 || text?.startsWith('EXECABORT')) return response
    // EXECABORT carries no details. Any other error is that of the command that failed, so include it.
    return { status: 400, body: { error: `${discarded}: ${text}` } }
  }
}
