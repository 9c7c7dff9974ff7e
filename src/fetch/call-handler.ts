import type { FunctionArgs } from './adapter.ts'

type Callback = (error?: unknown, result?: unknown) => void

/**
 * Calls the handler of a function. On Lambda it may answer by the callback that the platform passes
 * third: if it names one and returns nothing. Then the returned promise waits for that answer.
 */
export const callHandler = <Input, Env, Ctx, Output, Rest extends readonly unknown[]>(
  handler: (...args: [...FunctionArgs<Input, Env, Ctx>, ...Rest]) => Output | PromiseLike<Output>,
  [input, env, ctx]: FunctionArgs<Input, Env, Ctx>,
  ...rest: Rest
): Promise<Output> =>
  new Promise((resolve, reject) => {
    const isLambda = typeof ctx === 'function'
    const callback: Callback = (error, result) =>
      error ? reject(error) : resolve(result as Output)
    const answer = handler(input, env, isLambda ? (callback as Ctx) : ctx, ...rest)
    if (!isLambda || answer !== undefined || handler.length < 3) resolve(answer)
  })
