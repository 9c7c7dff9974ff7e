// All waiting times, in ms: the pauses between tries, and the timeouts of events that may not happen. The times of one
// round depend on the speed of the nodes: src/core/process/pace.ts.

// A lock of another client. `retry` sets the first two.

/** The shortest pause, without `delay`. */
export const lockDelay = 30

/** How much longer than `delay` the longest pause is, without `maxDelay`. */
export const lockSpread = 200

/** How long one holder keeps the lock before the pauses grow. */
export const steadyHold = 1_000

/** The maximum growth of the pauses. */
export const maxGrowth = 10_000

// A lock whose release sends a message.

/** The longest pause while the stream works, and so the maximum cost of a lost message. */
export const maxWakingPause = 2_000

/** The range of a random delay: waiters must not all return at the moment when a lock expires. */
export const wakingSpread = 50

/**
 * The longest pause after useless messages. A woken call is no longer in the queue, so nothing wakes it during the
 * pause, even if the lock is free.
 */
export const maxVainPause = 250

/** After this time without a message, the next ones wake the call immediately again. */
export const calmAfter = 1_000

/** The timeout of the message after a join, and of the request that leaves the queue. */
export const messagePatience = 1_000

// A lock that is held.

/** The longest pause before the retry of an extension that has failed or is slow. */
export const maxExtensionPause = 500

// A window of a throttle. The pause is random, up to this value, and begins when the window can open.

/** The longest pause after a window opens. */
export const windowSpread = 50

/** The shortest pause in an outage. */
export const outagePause = 50

// A record. The pauses are random, up to these values, so that calls do not return together.

/** While another client writes a record to a quorum. */
export const recordPause = 50

/** In `forget`, while a call of `once` runs. */
export const forgetPause = 100

/** While other clients write the same record: the first pause, which doubles with each try. */
export const settlePause = 50

/** The longest of these pauses. */
export const maxSettlePause = 1_000

/** How long a call without a `wait` tries to get a record from some nodes to a quorum. */
export const minRepairTime = 2_000

/** The minimum time that a late node has to show whether it has a record. */
export const minLatePatience = 20

/** The maximum of that time. */
export const maxLatePatience = 300

/** Before each try on nodes that lack a record. Claims of others may block it until they are released. */
export const healPauses = [0, 20, 200] as const

/** The default `wait` of `once` and `forget`: longer than the usual TTL, so that a call can replace a dead process. */
export const onceWait = 15_000

// A store of bodies.

/** Before each attempt to read a body: some stores show writes of other locations late. */
export const storePauses = [0, 100, 400] as const

/** The timeout of a store for one body. */
export const storePatience = 15_000

/** The same for a replay without a `wait`. */
export const minStorePatience = 2_000

// The response to an HTTP request.

/**
 * How long a response waits for background work if the process freezes after it. By then, requests have arrived at
 * every node that responds. A hanging node must not cost its whole timeout.
 */
export const maxDrainTime = 500

/** How long a body may stay unread, even if its lock is shorter. */
export const minReadTimeout = 1_000
