type Callback = (error?: unknown, result?: unknown) => void

/**
 * Calls the handler of a function. On Lambda it may answer by the callback that the platform passes
 * third: if it names one and returns nothing. Then the returned promise waits for that answer.
 */
export const callHandler = <Rest extends readonly unknown[]>(
  handler: (...args: [input: unknown, env: unknown, ctx: unknown, ...Rest]) => unknown,
  [input, env, ctx]: readonly [input: unknown, env: unknown, ctx: unknown],
  ...rest: Rest
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const isLambda = typeof ctx === 'function'
    const callback: Callback = (error, result) => (error ? reject(error) : resolve(result))
    const answer = handler(input, env, isLambda ? callback : ctx, ...rest)
    if (!isLambda || answer !== undefined || handler.length < 3) resolve(answer)
  })
