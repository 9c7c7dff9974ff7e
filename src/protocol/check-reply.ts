import { safeText } from '../util/safe-text.ts'

// The only file that depends on the positions of the fields in the reply to the check. The header of check.lua
// describes the fields.

/** The reply on the wire. */
export type CheckReplyTuple = readonly [
  echo: string,
  identity: string,
  time: number,
  info: string,
  writeError: string,
  timeError: string,
  infoError: string,
]

/** The `redis_version` of a Durable Object. */
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
  /** The random ID of the server. It is the same for two URLs of one database. */
  readonly identity: string
  /** The clock of the server, in ms since 1970; 0 if the server rejects TIME. */
  readonly time: number
  readonly info: ServerInfo
  /** The server's error for each rejected command; empty for a command that it runs. */
  readonly rejected: { readonly write: string; readonly time: string; readonly info: string }
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

// The format of IDs that calls and the check create. Older versions use UUIDs.
const ownId = /^\d*[\da-f]{8}[\da-z-]+$/

/** Whether the key of the ID holds other data. */
export const isForeignId = (identity: string): boolean => !ownId.test(identity)

/** Reads the reply to the check with this echo. @throws if it is not this reply. */
export const readCheckReply = (echo: string, reply: unknown): ServerFacts => {
  const [begin, identity, time, info, ...errors] = Array.isArray(reply) ? (reply as unknown[]) : []
  if (begin !== echo) throw new Error('no reply of Redis')
  const [write = '', timeError = '', infoError = ''] = errors.map((error) =>
    safeText(textOf(error)),
  )
  return {
    // Some clients read an ID as a number if it contains only digits.
    identity: safeText(typeof identity === 'number' ? `${identity}` : textOf(identity)),
    time: typeof time === 'number' ? time : 0,
    info: readInfo(textOf(info)),
    rejected: { write, time: timeError, info: infoError },
  }
}
