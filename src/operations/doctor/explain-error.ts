import { type Diagnosis, diagnosisOf } from './finding.ts'

type Explanation = readonly [pattern: RegExp, code: Diagnosis['code'], message: string, fix: string]

const acl = '`ACL SETUSER <user> ~<prefix>* +eval +evalsha +mget +set +del +pttl +time +info`'

// The first match applies, so more specific patterns come first.
const explanations: readonly Explanation[] = [
  [
    /(?:run the|unknown command|not available:) '(?!(?:eval|evalsha|mget|set|del|pttl|time|info|select|client|hello|auth)')/i,
    'not-redis',
    'The server interprets part of the URL as a command',
    'Remove the path from the URL, or use the path at which the gateway is mounted.',
  ],
  [
    /NOAUTH/,
    'unauthorized',
    'Redis requires a password, but the client sends none',
    'Set the password in the gateway, or in the redis:// URL.',
  ],
  [
    /^UNAVAILABLE/,
    'unreachable',
    'The gateway responds, but the Redis server behind it does not',
    'Start the Redis server, and check its address and its password in the gateway.',
  ],
  [
    /user executing the script|command called from script/,
    'no-permission',
    'The server rejects a command of the scripts',
    `If you use an ACL: ${acl}. Otherwise remove the \`rename-command\` lines of these commands.`,
  ],
  [
    /NOPERM.* keys?\b/,
    'no-permission',
    'The Redis user is not allowed to access lock keys',
    `Allow the prefix of your \`Redlock\`: ${acl}. The default \`<prefix>\` is \`lock:\`.`,
  ],
  [
    /NOPERM/,
    'no-permission',
    'The token is not allowed to run scripts',
    `Use the standard token instead of the read-only one. If you use an ACL: ${acl}.`,
  ],
  [
    /WRONGPASS|HTTP 40[13]|unauthori[sz]ed|invalid password/i,
    'unauthorized',
    'The server rejects the token',
    'Copy the whole token of this database again, without quotes. Each URL needs the token of its own database.',
  ],
  [
    /CROSSSLOT|MOVED|CLUSTERDOWN/,
    'cluster',
    'The server belongs to a Redis Cluster that does not serve all keys of a lock together',
    "Give the prefix a hash tag, the same for all clients: `prefix: '{lock}:'`. Standalone servers are better nodes.",
  ],
  [
    /shebang|allow-key-locking|near '#'/,
    'no-scripts',
    'The server does not support `withKeyLocking`, which is for Upstash',
    'Remove `withKeyLocking` from this node.',
  ],
  [
    /unknown command|command is not available|not allowed|unsupported/i,
    'no-scripts',
    'The server rejects scripts',
    'Allow EVAL and EVALSHA; some proxies forbid them by default.',
  ],
  [
    /^WRONGTYPE/,
    'foreign-data',
    'A key of this library holds data from another program',
    'Use another `prefix`, the same for all clients, or delete that key.',
  ],
  [
    /LOADING|MASTERDOWN|BUSY/,
    'loading',
    'The server is not ready',
    'Wait until the server has loaded its data, and check again.',
  ],
  [
    /^no answer in/,
    'timeout',
    'The node did not reply in time',
    'Check that the server is not paused and that no firewall drops the packets. If the server is just far away, raise `nodeTimeout` or choose a nearer region.',
  ],
  [
    /not a Redis reply/,
    'not-redis',
    'A server responds at this URL, but not with a Redis reply over the Upstash REST protocol',
    'Check the URL: it must be the REST URL, without a path unless a proxy adds one. For `@upstash/redis` with a server other than Upstash, set `responseEncoding: false`.',
  ],
  [
    /RPC receiver|backed by SQL|SQLite/,
    'binding',
    'The binding refers to a Durable Object class that is not `RedlockNode`, or has no SQLite storage',
    'Export `RedlockNode` from the Worker, bind a namespace to it, and declare its storage as SQLite (`new_sqlite_classes`, or `exports`).',
  ],
  [
    /does not know this command|The object has version|no emulator of this script/,
    'binding',
    'The object runs another version of this package',
    'Deploy the Worker that exports `RedlockNode` with the same version as this one.',
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    'unreachable',
    'The host name does not resolve',
    'Check the spelling of the URL, and that the database still exists.',
  ],
  [
    /ECONNREFUSED/,
    'unreachable',
    'No server is listening at this address',
    'Start the server or its gateway, and check the host and port of the URL.',
  ],
  [
    /CERT|SSL|TLS|certificate|self.signed/i,
    'unreachable',
    'The TLS connection failed',
    'Check the certificate of the server, and whether the URL should begin with http:// or https://.',
  ],
]

/** Explains an error of a node, and suggests a fix. */
export const explainError = (error: string): Diagnosis => {
  const found = explanations.find(([pattern]) => pattern.test(error))
  const [, code, message, fix] = found ?? [
    undefined,
    'unreachable' as const,
    'The node cannot be reached',
    'Check the URL, the network and the server.',
  ]
  // Remove the position in the script, which Redis appends.
  const reason = error.replace(/ script: \w+, on @\S+$/, '')
  return diagnosisOf(code, `${message}: ${reason}.`, fix)
}
