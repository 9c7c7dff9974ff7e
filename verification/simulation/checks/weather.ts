// What the package promises of bursts: the share that has exactly one winner.

const calmPromise = 0.9999
const roughPromise = 0.999

export const tooFewLeft = 'a client dies, and leaves too few nodes'
export const leaderDies = 'the client that leads dies'
export const tooShort = 'calls that wait for a short time'
export const anotherPace = 'another pace'

/**
 * The kinds of weather in which bursts are counted, and the promise of each. Those without a promise are
 * only counted.
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
  // Nobody can get a quorum before the locks of the client that died expire.
  [tooFewLeft]: undefined,
  // The others have yielded to it. They would have to look again, each time, to notice its death.
  [leaderDies]: undefined,
  [tooShort]: undefined,
  // The constants of time are not those of the package.
  [anotherPace]: undefined,
} as const satisfies Record<string, number | undefined>

export type Weather = keyof typeof promises

/** The end of the names of those kinds that do not say which sickness a node has. */
export const amongSick = (sick: number) => {
  if (sick > 1) return 'several nodes are sick'
  return sick === 1 ? 'a node is sick' : undefined
}
