import { type Exchange, platformOf } from '../http/platform.ts'

/** What a function is called with: a request, or an event; and what the platform passes along. */
export type Call<Input, Env, Ctx> = [input: Input, env: Env, ctx: Ctx]

type Headers = { readonly [name: string]: string | undefined }

/** The request of a call. */
const exchangeOf = (call: Call<unknown, unknown, unknown>): Exchange => {
  const [input, env, ctx] = call
  const { headers } = Object(input) as { headers?: Request['headers'] | Headers }
  const isRequest = typeof headers?.get === 'function'
  const { accept, Accept } = Object(headers) as Headers
  return {
    id: Object(input),
    request: isRequest ? (input as Request) : undefined,
    accept: isRequest ? (input as Request).headers.get('accept') : (accept ?? Accept),
    ...platformOf([ctx, env]),
  }
}

/**
 * A refusal in the form that the platform understands: API Gateway and function urls take no
 * `Response` from a handler of events.
 *
 * @see {@link https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html}
 */
const answerTo = async <T>({ request }: Exchange, answer: T | Response): Promise<T> =>
  request || !(answer instanceof Response)
    ? (answer as T)
    : ({
        statusCode: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: await answer.text(),
      } as T)

/** The function that a platform calls, around what answers one of its calls. */
export const serving = <Input, Env, Ctx, Output>(
  run: (call: Call<Input, Env, Ctx>, exchange: Exchange) => Promise<Output | Response>,
): ((input: Input, env?: Env, ctx?: Ctx) => Promise<Output>) =>
  // By rest parameters: Lambda tells handlers with a callback by how many they name.
  async function served(...passed) {
    const [input, env, ctx] = passed as Call<Input, Env, Ctx>
    const exchange = exchangeOf([input, env, ctx])
    return answerTo(exchange, await run([input, env, ctx], exchange))
  }
