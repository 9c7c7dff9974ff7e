import { type LockNode, nodeError, type NodeError, scopeOf } from '../protocol/node.ts'
import type { Command } from '../protocol/command.ts'
import { commandVersion } from '../protocol/command-version.ts'
import { checkText } from '../protocol/keys.ts'
import type { Reply } from '../protocol/reply.ts'
import { untilAborted } from '../util/clock.ts'
import { assertOption, checkInteger, checkOptions } from '../util/validate.ts'

/** A location for a new object: a Cloudflare region, such as `weur` for Western Europe. */
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
  /** The number of nodes, from 1 to 25. Default: the number of `locations`, or else 3. */
  readonly count?: number
  /**
   * The locations of new objects, one for each node. These are hints: Cloudflare may choose a place nearby, and does
   * not move existing objects. Default: near the first request.
   */
  readonly locations?: readonly ObjectLocation[]
  /**
   * The prefix of the object names. If you change it, the new objects start without the existing locks. Default:
   * `redlock`.
   */
  readonly name?: string
}

/** A binding of `RedlockNode`, such as `env.REDLOCK`. */
export type RedlockNamespace = {
  idFromName(name: string): { toString(): string }
  get(id: object, options?: { locationHint?: ObjectLocation }): object
}

/** A request from a Worker to an object, which may run code from another deployment. */
export type ObjectRequest = {
  readonly version: string
  readonly command: Command
  readonly serverId: string | undefined
}

/** The methods that a node calls on the stub of an object. */
type Stub = {
  run(request: ObjectRequest): Promise<Reply>
  fetch: typeof fetch
}

type Failure = {
  readonly retryable?: boolean
  readonly overloaded?: boolean
  readonly durableObjectReset?: boolean
}

/** Converts the error of a call. Calls to an overloaded object are not retryable. */
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
  // Each call needs a new stub, because a stub cannot be used after a failed call, or in another request of the Worker.
  const newStub = (): Stub =>
    namespace.get(namespace.idFromName(name), locationHint && { locationHint }) as Stub
  return {
    name,
    // Two namespaces can contain objects with the same name, but never with the same ID. The namespace itself cannot be
    // compared, because each request creates a new one for a jurisdiction.
    scope: scopeOf(`${name} ${String(namespace.idFromName(name))}`, ''),
    run: async (command, { signal, serverId, guard }) => {
      if (guard) throw new Error('is durable, and cannot be volatile')
      const request = { version: commandVersion, command, serverId }
      try {
        // A call cannot be canceled, so an abort only ignores the reply.
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
 * Creates nodes that are Durable Objects, for Cloudflare Workers. They need no other account and no secrets. All
 * Workers that share locks must use the same namespace, `name` and `count`. Each command is one request to an object.
 *
 * @param namespace - The binding of {@link RedlockNode}, or a jurisdiction of that binding.
 * @throws `TypeError` or `RangeError` if an argument or option is wrong; the message names it.
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
