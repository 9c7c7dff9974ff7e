import { boundedMap } from '../util/bounded-map.ts'

// A framework may call a function with another URL, without the path at which the function is mounted. Nothing tells
// the URL before, so two endpoints get the same key for what are different requests. A process that serves both
// notices it and warns. It cannot reject the request: the endpoints may also be two instances of one app.

/** Which endpoint has run a request and recorded its response. */
type EndpointRun = {
  readonly endpoint: number
  /** How many endpoints there were when the request began. */
  readonly endpoints: number
  /** Tells apart the nodes of several clients. */
  readonly nodes: object
}

// A wrapped function or a middleware, in the order in which they are made.
let endpoints = 0
const runs = boundedMap<EndpointRun>(2 ** 18)
// Bytes on V8.
const runBytes = 120

export const newEndpoint = (): number => ++endpoints

export const countEndpoints = (): number => endpoints

/** Remembers which endpoint records the response to the request with this key. */
export const noteRun = (key: string, run: EndpointRun): void => runs.set(key, run, runBytes)

/**
 * Whether another endpoint has recorded it. One that was made since the request began may stand for the same, as if
 * made for each request.
 */
export const hasRunElsewhere = (key: string, endpoint: number, nodes: object): boolean => {
  const run = runs.get(key)
  return run?.nodes === nodes && run.endpoint !== endpoint && endpoint <= run.endpoints
}

export const sharedPath: string =
  'two idempotent endpoints share responses, since they get requests with the same path. ' +
  'If they differ, mount with `replaceRequest: false`, or let `scope` tell them apart'
