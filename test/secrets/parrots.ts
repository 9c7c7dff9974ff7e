import type { RestNodeOptions } from '../../src/index.ts'

/** Says over and over what it was sent, with which token. */
const parrot: typeof fetch = async (_, init) => {
  const { authorization } = init!.headers as Record<string, string>
  const error = `ERR ${'x'.repeat(150)} ${authorization} ${init!.body as string}`
  return Response.json({ error }, { status: 400 })
}

/** Three nodes that do nothing else. */
export const parrots = (token: string): RestNodeOptions[] =>
  ['a', 'b', 'c'].map((name) => ({ url: `http://${name}.example`, token, fetch: parrot }))
