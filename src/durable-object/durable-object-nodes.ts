import { type LockNode, nodeError, type NodeError, scopeOf } from '../protocol/node.ts'
import type { Command } from '../protocol/command.ts'
import { commandVersion } from '../protocol/command-version.ts'
import { checkText } from '../protocol/keys.ts'
import type { Reply } from '../protocol/reply.ts'
import { untilAborted } from '../util/clock.ts'
import { assertOption, checkInteger, checkOptions } from '../util/validate.ts'

/** Where an object is to be created: a region of Cloudflare, such as `weur` for western Europe. */
export type ObjectLocation =
  | 'wnam'
  | 'enam'
  | 'sam'
  | 'weur'
  | 'eeur'
  | 'apac'
  | 'oc'
  | 'afr'
  | 'me'

export type DurableObjectNodesOptions = {
  /** How many nodes vote, 1 to 25. Default: the number of `locations`, or else 3. */
  readonly count?: number
  /**
   * Where to create the objects, one location for each node. A hint: Cloudflare may choose a place nearby, and an
   * object that exists stays where it is. Default: near the first request.
   */
  readonly locations?: readonly ObjectLocation[]
  /**
   * The beginning of the names of the objects. Other names are other objects, which know nothing of the
   * locks so far. Default: `redlock`.
   */
  readonly name?: string
}

/** A binding of `RedlockNode`, such as `env.REDLOCK`. */
export type RedlockNamespace = {
  idFromName(name: string): { toString(): string }
  get(id: object, options?: { locationHint?: ObjectLocation }): object
}

/** What a Worker sends to an object, which may be of another deployment. */
export type ObjectRequest = {
  readonly version: string
  readonly command: Command
  readonly serverId: string | undefined
}

/** The methods of the object that its stub calls. */
type Stub = {
  run(request: ObjectRequest): Promise<Reply>
  fetch: typeof fetch
}

type Failure = {
  readonly retryable?: boolean
  readonly overloaded?: boolean
  readonly durableObjectReset?: boolean
}

/** The error of a call. An object that is overloaded is left alone. */
const callError = (error: unknown): NodeError => {
  const { retryable, durableObjectReset, overloaded } = Object(error) as Failure
  const isRetryable = !overloaded && (retryable || durableObjectReset)
  return Object.assign(nodeError(error), isRetryable && { retryable: true })
}

const maxCount = 25

const objectNode = (
  namespace: RedlockNamespace,
  name: string,
  locationHint: ObjectLocation | undefined,
): LockNode => {
  // A stub is of no use any more once a call has failed, nor for another request of the Worker.
  const newStub = (): Stub =>
    namespace.get(namespace.idFromName(name), locationHint && { locationHint }) as Stub
  return {
    name,
    // Another namespace may have an object of the same name, and a jurisdiction is made anew for each request.
    scope: scopeOf(`${name} ${String(namespace.idFromName(name))}`, ''),
    run: async (command, { signal, serverId, guard }) => {
      if (guard) throw new Error('is durable, and cannot be volatile')
      const request = { version: commandVersion, command, serverId }
      try {
        // A call cannot be taken back, so its reply is ignored once nobody waits for it.
        return await untilAborted<Reply>(signal, (resolve, reject) => {
          void newStub().run(request).then(resolve, reject)
          return () => {}
        })
      } catch (error) {
        throw callError(error)
      }
    },
    subscribe: (channel, signal) =>
      newStub().fetch(`https://object/subscribe/${encodeURIComponent(channel)}`, { signal }),
  }
}

/**
 * Nodes that are Durable Objects, for Workers on Cloudflare: no other account, no secrets. Every Worker that shares
 * the locks needs the same namespace, `name` and `count`. One call of a node is one request to its object.
 *
 * @param namespace - The binding of {@link RedlockNode}, or a jurisdiction of it.
 * @throws `TypeError` or `RangeError` that names the argument or option.
 * @example
 * ```ts
 * const nodes = durableObjectNodes(env.REDLOCK, { locations: ['weur', 'enam', 'apac'] })
 * const redlock = new Redlock({ nodes })
 * ```
 */
export const durableObjectNodes = (
  namespace: RedlockNamespace,
  options: DurableObjectNodesOptions = {},
): LockNode[] => {
  const { idFromName, get } = Object(namespace) as Partial<RedlockNamespace>
  const isNamespace = [typeof idFromName, typeof get].every((type) => type === 'function')
  assertOption(isNamespace, 'namespace', 'the binding of a Durable Object class', namespace)
  checkOptions('durableObjectNodes()', options, 'count, locations, name')
  const { locations, count = locations?.length ?? 3, name = 'redlock' } = options
  const fits = Array.isArray(locations) && count > 0 && locations.length === count
  assertOption(locations === undefined || fits, 'locations', 'one for each node', locations)
  checkInteger('count', count, 1, maxCount)
  checkText('name', name, 1)
  return Array.from({ length: count }, (_, index) =>
    objectNode(namespace, `${name}-${index + 1}`, locations?.[index]),
  )
}
