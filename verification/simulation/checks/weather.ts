// The share of bursts that must have exactly one winner. The documentation promises this.

const calmPromise = 0.9999
const roughPromise = 0.999

export const tooFewLeft = 'a client dies, and leaves too few nodes'
export const leaderDies = 'the client that leads dies'
export const tooShort = 'calls that wait for a short time'
export const anotherPace = 'another pace'

/**
 * The kinds of weather in which bursts are counted, and the promise for each. Kinds without a promise are only counted.
 */
export const promises = {
  'all nodes are well': calmPromise,
  'a node hangs': calmPromise,
  'a node is late': calmPromise,
  'a node flaps': calmPromise,
  'a node refuses': calmPromise,
  'a node rejects': calmPromise,
  'a node is cut off': calmPromise,
  'several nodes are sick': roughPromise,
  'messages are lost': roughPromise,
  'a client dies': roughPromise,
  'few nodes at a time, all are well': calmPromise,
  'few nodes at a time, a node is sick': calmPromise,
  'few nodes at a time, several nodes are sick': roughPromise,
  'far nodes, all are well': calmPromise,
  'far nodes, a node is sick': calmPromise,
  'far nodes, several nodes are sick': roughPromise,
  'slots, all nodes are well': calmPromise,
  'slots, a node is sick': calmPromise,
  'slots, several nodes are sick': roughPromise,
  'processes pause': roughPromise,
  'timers are late': roughPromise,
  'answers wait to be read': roughPromise,
  // No client can reach a quorum before the locks of the dead client expire.
  [tooFewLeft]: undefined,
  // The other clients have yielded to the leader. To detect its death, every yielding client would have to check again.
  [leaderDies]: undefined,
  [tooShort]: undefined,
  // The time constants differ from the usual ones.
  [anotherPace]: undefined,
} as const satisfies Record<string, number | undefined>

export type Weather = keyof typeof promises

/** The last part of a weather's name if only the number of faulty nodes matters; undefined if there are none. */
export const amongSick = (sick: number) => {
  if (sick > 1) return 'several nodes are sick'
  return sick === 1 ? 'a node is sick' : undefined
}
