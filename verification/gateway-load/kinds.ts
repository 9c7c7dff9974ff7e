/** A kind of request, with its correct answer. */
export type Kind = {
  readonly name: string
  readonly connections: number
  /** Its fraction of the total load. */
  readonly share: number
  readonly status: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Sent in chunks, without `content-length`. */
  readonly isChunked?: true
  /** How many INCR commands each request runs. */
  readonly commands: number
}

/** In bytes. A quarter of the default, so that oversize requests are not mostly copying. */
export const maxBody = 262_144

const authorized = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const large = JSON.stringify(['SET', 'large', 'x'.repeat(maxBody)])
// No client with the token sends this command, so each run came from a request without a token.
const unauthorized = JSON.stringify(['APPEND', 'stolen', 'x'])

/** All kinds of requests, for a gateway with this token. */
export const kindsFor = (token: string): readonly Kind[] => {
  const right = { path: '/', headers: authorized(token), status: 200, connections: 50 }
  const wrong = { path: '/', status: 401, commands: 0, connections: 50 }
  const oversize = { ...right, status: 413, commands: 0, connections: 20, body: large }
  return [
    { ...right, name: 'a command', share: 0.2, body: '["INCR","n"]', commands: 1 },
    {
      ...right,
      name: 'a transaction of two',
      share: 0.1,
      path: '/multi-exec',
      body: '[["INCR","n"],["INCR","n"]]',
      commands: 2,
    },
    { ...wrong, name: 'no token', share: 0.1, headers: {}, body: unauthorized },
    {
      ...wrong,
      name: 'a wrong token',
      share: 0.1,
      headers: authorized('wrong'),
      body: unauthorized,
    },
    { ...wrong, name: 'oversize, no token', share: 0.1, headers: {}, body: large },
    { ...oversize, name: 'oversize', share: 0.1 },
    { ...oversize, name: 'oversize, in chunks', share: 0.1, isChunked: true },
    {
      ...right,
      name: '1,000 connections',
      share: 0.2,
      connections: 1000,
      body: '["INCR","n"]',
      commands: 1,
    },
  ]
}
