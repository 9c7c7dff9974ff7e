import { type LockNode, nodeError, scopeOf } from '../nodes/node.ts'
import { streamServers } from '../nodes/rest-node.ts'
import { checkText } from '../protocol/keys.ts'
import type { ScriptReply } from '../emulator/run-script.ts'
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

/** The methods of the object that its stub calls. */
type Stub = {
  run(sha: string, keys: readonly string[], args: readonly string[]): Promise<ScriptReply>
  fetch: typeof fetch
}

type Failure = {
  readonly retryable?: boolean
  readonly overloaded?: boolean
  readonly durableObjectReset?: boolean
}

/**
 * The error of a call, with the words by which the client knows that the connection was lost: it then asks
 * again, since every operation has the same effect twice as once. An object that is overloaded is left alone.
 */
const callError = (error: unknown): Error => {
  const failure = nodeError(error)
  const { retryable, durableObjectReset, overloaded } = Object(error) as Failure
  if (overloaded || !(retryable || durableObjectReset)) return failure
  return new Error(`connection to the object lost: ${failure.message}`)
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
  const node: LockNode = {
    name,
    // Another namespace may have an object of the same name, and a jurisdiction is made anew for each request.
    scope: scopeOf(`${name} ${String(namespace.idFromName(name))}`, ''),
    eval: async (script, keys, args, signal) => {
      try {
        // A call cannot be taken back, so its reply is ignored once nobody waits for it.
        return await untilAborted(signal, (resolve, reject) => {
          const call = newStub().run(script.sha, keys, args)
          void call.then(resolve, reject)
          return () => {}
        })
      } catch (error) {
        throw callError(error)
      }
    },
  }
  const request: typeof fetch = (...call) => newStub().fetch(...call)
  streamServers.set(node, { address: 'https://object', headers: {}, request })
  return node
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
