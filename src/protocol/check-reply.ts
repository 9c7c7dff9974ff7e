import { safeText } from '../util/safe-text.ts'

// The only file that knows the positions of the reply to the check. The header of check.lua describes
// its fields.

/** The reply as it comes over the wire. */
export type CheckReplyTuple = readonly [
  echo: string,
  identity: string,
  time: number,
  info: string,
  writeError: string,
  timeError: string,
  infoError: string,
]

/** What a Durable Object reports as its `redis_version`. */
export const objectProduct = 'durable-object'

/** The fields of INFO that matter to a lock. */
export type ServerInfo = {
  readonly [
    Field in
      | 'redis_version'
      | 'run_id'
      | 'tcp_port'
      | 'uptime_in_seconds'
      | 'role'
      | 'maxmemory'
      | 'maxmemory_policy'
      | 'aof_enabled'
      | 'cluster_enabled'
  ]?: string
}

/** A server's report about itself. */
export type ServerFacts = {
  /** The random id of the server: the same for two urls of one database. */
  readonly identity: string
  /** The clock of the server, in ms since 1970; 0 where the server refuses TIME. */
  readonly time: number
  readonly info: ServerInfo
  /** Why the server refuses a command; empty for one that it runs. */
  readonly refused: { readonly write: string; readonly time: string; readonly info: string }
}

const fields: Readonly<Record<keyof ServerInfo, true>> = {
  redis_version: true,
  run_id: true,
  tcp_port: true,
  uptime_in_seconds: true,
  role: true,
  maxmemory: true,
  maxmemory_policy: true,
  aof_enabled: true,
  cluster_enabled: true,
}

const textOf = (field: unknown): string => (typeof field === 'string' ? field : '')

// Characters of a field of INFO. The longest is a `run_id`.
const maxField = 100

const readInfo = (info: string): ServerInfo => {
  const found: Record<string, string> = {}
  for (const line of info.split('\n')) {
    const name = line.slice(0, Math.max(0, line.indexOf(':')))
    if (Object.hasOwn(fields, name))
      found[name] = line
        .slice(name.length + 1)
        .trimEnd()
        .slice(0, maxField)
  }
  return found
}

// As calls and the check make them; those of older versions are UUIDs.
const ownId = /^\d*[\da-f]{8}[\da-z-]+$/

/** Whether the key of the id holds something else. */
export const isForeignId = (identity: string): boolean => !ownId.test(identity)

/** Reads the reply to the check with this echo. @throws where it is no such reply. */
export const readCheckReply = (echo: string, reply: unknown): ServerFacts => {
  const [begin, identity, time, info, ...errors] = Array.isArray(reply) ? (reply as unknown[]) : []
  if (begin !== echo) throw new Error('no reply of Redis')
  const [write = '', timeError = '', infoError = ''] = errors.map((error) =>
    safeText(textOf(error)),
  )
  return {
    // Some clients read an id of digits alone as a number.
    identity: safeText(typeof identity === 'number' ? `${identity}` : textOf(identity)),
    time: typeof time === 'number' ? time : 0,
    info: readInfo(textOf(info)),
    refused: { write, time: timeError, info: infoError },
  }
}
