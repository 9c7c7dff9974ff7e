/** A kind of request, and what is right as its answer. */
export type Kind = {
  readonly name: string
  readonly connections: number
  /** Of the whole load. */
  readonly share: number
  readonly status: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Without `content-length`, in chunks. */
  readonly isChunked?: true
  /** How many INCR each request runs. */
  readonly commands: number
}

/** In bytes: a quarter of the default, so that what goes over it is mostly requests, not copying. */
export const maxBody = 262_144

const authorized = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
const large = JSON.stringify(['SET', 'large', 'x'.repeat(maxBody)])
// A command that nobody with the token sends: whatever of it is counted came in without one.
const stolen = JSON.stringify(['APPEND', 'stolen', 'x'])

/** All kinds of whole requests, against a gateway that has this token. */
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
    { ...wrong, name: 'no token', share: 0.1, headers: {}, body: stolen },
    { ...wrong, name: 'a wrong token', share: 0.1, headers: authorized('wrong'), body: stolen },
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
