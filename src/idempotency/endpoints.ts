import { boundedMap } from '../util/bounded-map.ts'

// Some frameworks remove the mount path from the URL before they call a function, and the original URL is unavailable.
// So two endpoints can derive the same key from different requests. If one process serves both, this file detects it
// and the gate warns. The gate cannot reject the request: both endpoints may be instances of the same app.

/** The endpoint that ran a request and recorded its response. */
type EndpointRun = {
  readonly endpoint: number
  /** The number of endpoints when the request began. */
  readonly endpoints: number
  /** Identifies the nodes of the client, because several clients can use the same key. */
  readonly nodes: object
}

// The number of wrapped functions and middleware so far. It is also the ID of the newest one.
let endpointCount = 0
const runs = boundedMap<EndpointRun>(2 ** 18)
// The approximate size of an entry on V8, in bytes.
const runBytes = 120

export const newEndpoint = (): number => ++endpointCount

export const countEndpoints = (): number => endpointCount

/** Stores which endpoint records the response to the request with this key. */
export const noteRun = (key: string, run: EndpointRun): void => runs.set(key, run, runBytes)

/**
 * Whether a different endpoint recorded the response. The result is false for an endpoint that was created after the
 * recorded request began: some apps create their endpoints again for each request.
 */
export const hasRunElsewhere = (key: string, endpoint: number, nodes: object): boolean => {
  const run = runs.get(key)
  return run?.nodes === nodes && run.endpoint !== endpoint && endpoint <= run.endpoints
}

export const sharedPath: string =
  'two idempotent endpoints share responses, since they get requests with the same path. ' +
  'If they differ, mount with `replaceRequest: false`, or let `scope` tell them apart'
