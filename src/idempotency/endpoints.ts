import { boundedMap } from '../util/bounded-map.ts'

// A framework may call a function with a changed URL, without the path at which the function is mounted. The original
// URL is not available, so two endpoints may get the same key for different requests. A process that serves both
// notices this and warns. It cannot reject the request, since the endpoints may also be two instances of one app.

/** Which endpoint has run a request and recorded its response. */
type EndpointRun = {
  readonly endpoint: number
  /** How many endpoints there were when the request began. */
  readonly endpoints: number
  /** Distinguishes the nodes of several clients. */
  readonly nodes: object
}

// Counts wrapped functions and middleware, in the order of their creation.
let endpointCount = 0
const runs = boundedMap<EndpointRun>(2 ** 18)
// The bytes that an entry takes on V8.
const runBytes = 120

export const newEndpoint = (): number => ++endpointCount

export const countEndpoints = (): number => endpointCount

/** Remembers which endpoint records the response to the request with this key. */
export const noteRun = (key: string, run: EndpointRun): void => runs.set(key, run, runBytes)

/**
 * Whether another endpoint has recorded the response. An endpoint that was created after the request began does not
 * count: it may be the same one, created anew for each request.
 */
export const hasRunElsewhere = (key: string, endpoint: number, nodes: object): boolean => {
  const run = runs.get(key)
  return run?.nodes === nodes && run.endpoint !== endpoint && endpoint <= run.endpoints
}

export const sharedPath: string =
  'two idempotent endpoints share responses, since they get requests with the same path. ' +
  'If they differ, mount with `replaceRequest: false`, or let `scope` tell them apart'
