import type { RestNodeOptions } from '../../src/index.ts'

/** Fails with a message that contains the token and the body of the request. */
const echo: typeof fetch = async (_, init) => {
  const { authorization } = init!.headers as Record<string, string>
  const error = `ERR ${'x'.repeat(150)} ${authorization} ${init!.body as string}`
  return Response.json({ error }, { status: 400 })
}

/** Three nodes whose errors echo their requests. */
export const echoNodes = (token: string): RestNodeOptions[] =>
  ['a', 'b', 'c'].map((name) => ({ url: `http://${name}.example`, token, fetch: echo }))
