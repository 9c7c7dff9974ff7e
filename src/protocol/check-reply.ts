import { safeText } from '../util/safe-text.ts'

// Only this file depends on the positions of the fields in the reply to a check. The header of check.lua describes the
// fields.

/** The reply, as the script returns it. */
export type CheckReplyTuple = readonly [
  echo: string,
  identity: string,
  time: number,
  info: string,
  writeError: string,
  timeError: string,
  infoError: string,
]

/** The `redis_version` that a Durable Object reports. */
export const objectProduct = 'durable-object'

/** The fields of INFO that are relevant to locks. */
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

/** The facts that a server reports about itself. */
export type ServerFacts = {
  /** The random ID of the server. Two URLs for the same database return the same ID. */
  readonly identity: string
  /** The time on the server's clock, in ms since 1970; 0 if the server rejects TIME. */
  readonly time: number
  readonly info: ServerInfo
  /** The server's error for each rejected command; empty if the server allows the command. */
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

// The maximum length of an INFO field, in characters. The longest one is `run_id`.
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

// Matches the IDs that calls and the check create, and the UUIDs of older versions.
const ownId = /^\d*[\da-f]{8}[\da-z-]+$/

/** Whether the key of the server ID holds foreign data. */
export const isForeignId = (identity: string): boolean => !ownId.test(identity)

/** Reads the reply to the check with this `echo`. @throws if the reply does not belong to that check. */
export const readCheckReply = (echo: string, reply: unknown): ServerFacts => {
  const [begin, identity, time, info, ...errors] = Array.isArray(reply) ? (reply as unknown[]) : []
  if (begin !== echo) throw new Error('not a Redis reply')
  const [write = '', timeError = '', infoError = ''] = errors.map((error) =>
    safeText(textOf(error)),
  )
  return {
    // Some clients convert an ID of digits to a number.
    identity: safeText(typeof identity === 'number' ? `${identity}` : textOf(identity)),
    time: typeof time === 'number' ? time : 0,
    info: readInfo(textOf(info)),
    rejected: { write, time: timeError, info: infoError },
  }
}
