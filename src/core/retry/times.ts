// All waiting times, in ms: the pauses between tries, and the timeouts for events that may never happen. The times
// within one round depend on the speed of the nodes, and are in src/core/process/pace.ts.

// A lock that another client holds. The option `retry` overrides the first two.

/** The default `delay`: the shortest pause. */
export const lockDelay = 30

/** The default difference between `maxDelay` and `delay`. */
export const lockSpread = 200

/** How long one holder must keep the lock before the pauses grow. */
export const steadyHold = 1_000

/** The maximum increase of a pause. */
export const maxGrowth = 10_000

// Waiting with `withWakeUp`: a release sends a message.

/** The longest pause while the stream works. A lost message delays a call by at most this time. */
export const maxWakingPause = 2_000

/** The maximum of a random delay that keeps waiters from all returning at the moment when a lock expires. */
export const wakingSpread = 50

/**
 * The longest pause after useless messages. It is short because a woken call is no longer in the queue, so no message
 * ends the pause if the lock becomes free.
 */
export const maxVainPause = 250

/** After this time without a message, new messages wake the call immediately again. */
export const calmAfter = 1_000

/** The timeout for the message after a join, and for the request that leaves the queue. */
export const messagePatience = 1_000

// A lock that this client holds.

/** The longest pause before an extension that failed or is slow is retried. */
export const maxExtensionPause = 500

// Waiting for a throttle window to open.

/** The maximum of the random pause that begins when the window can open. */
export const windowSpread = 50

/** The shortest pause in an outage. */
export const outagePause = 50

// Waiting for a record. The pauses are random, up to these values, so that calls do not retry together.

/** The pause while another client writes a record to a quorum. */
export const recordPause = 50

/** The pause of `forget` while a call of `once` runs. */
export const forgetPause = 100

/** The first pause while other clients write the same record. The pause doubles with each try. */
export const settlePause = 50

/** The longest of these pauses. */
export const maxSettlePause = 1_000

/** How long a call without a `wait` tries to write a record that it found on some nodes to a quorum. */
export const minRepairTime = 2_000

/** The minimum time to wait for late nodes to report whether they have a record. */
export const minLatePatience = 20

/** The maximum of that time. */
export const maxLatePatience = 300

/**
 * The pauses before each try to copy a record to the nodes that lack it. Other clients' claims can block a copy until
 * they are released.
 */
export const healPauses = [0, 20, 200] as const

/**
 * The default `wait` of `once` and `forget`. It exceeds the default TTL, so that a call can take over from a process
 * that has died.
 */
export const onceWait = 15_000

// A store for large response bodies.

/**
 * The pauses before each attempt to read a body, because some stores show writes from other locations only after a
 * delay.
 */
export const storePauses = [0, 100, 400] as const

/** The timeout for reading or writing one body. */
export const storePatience = 15_000

/** The timeout for reading a body in a replay without a `wait`. */
export const minStorePatience = 2_000

// The response to an HTTP request.

/**
 * How long a response waits for background work, if the platform freezes the process after the response. By then, the
 * requests have reached every node that responds. A hanging node must not delay the response by its whole timeout.
 */
export const maxDrainTime = 500

/** The minimum time that a body can stay unread, even if the TTL of its lock is shorter. */
export const minReadTimeout = 1_000
