import type { LockNode } from '../nodes/node.ts'

/** The remedy for an error of a server that the options of the client have caused; empty if unknown. */
export const hintOf = ({ keyLocking }: LockNode, message: string): string => {
  if (message.includes('CROSSSLOT')) {
    return `: a Redis Cluster needs a hash tag as \`prefix\`, such as '{lock}:'`
  }
  // Redis 7 names the flag, and older servers do not know the line that it is in.
  if (keyLocking && /shebang|flag|'#'/.test(message)) {
    return ': the server does not support `keyLocking`, which is for Upstash'
  }
  return ''
}
