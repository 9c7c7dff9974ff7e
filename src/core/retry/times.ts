// Every time of waiting, in ms: the pauses between two tries, and for how long something is awaited that may not come.
// The times of one round depend on how fast the nodes answer: src/core/process/pace.ts.

// A lock of another client. `retry` sets the first two.

/** The shortest pause, without `delay`. */
export const lockDelay = 30

/** How much longer than `delay` the longest pause is, without `maxDelay`. */
export const lockSpread = 200

/** For how long one holder keeps the lock before the pauses grow. */
export const steadyHold = 1_000

/** By how much the pauses grow at most. */
export const maxGrowth = 10_000

// A lock whose release sends a message.

/** The longest pause while the stream works: what a lost message costs at most. */
export const maxWakingPause = 2_000

/** Drawn at random: waiters must not all come at the moment at which a lock expires. */
export const wakingSpread = 50

/**
 * The longest pause after messages that were in vain. A woken call is no longer in the queue, so nothing wakes it in
 * that time although the lock may be free.
 */
export const maxVainPause = 250

/** After so long without a message, the next ones wake the call at once again. */
export const calmAfter = 1_000

/** For how long the message of a join is awaited, and the answer to the request that leaves the queue. */
export const messagePatience = 1_000

// A lock that is held.

/** The longest pause before an extension is tried again that has failed, or takes long. */
export const maxExtensionPause = 500

// A window of a throttle. A pause is drawn at random up to this, and begins when the window can open.

/** The longest pause after the moment at which a window opens. */
export const windowSpread = 50

/** The shortest pause in an outage. */
export const outagePause = 50

// A record. Pauses are drawn at random up to these, so that calls do not come together.

/** While another client gets a record to a quorum. */
export const recordPause = 50

/** While a call of `once` runs whose value is to be forgotten. */
export const forgetPause = 100

/** While others write to the same record: the first pause, which doubles with each try. */
export const settlePause = 50

/** The longest of these pauses. */
export const maxSettlePause = 1_000

/** For how long a call without a `wait` gets a record to a quorum that only some nodes have. */
export const minRepairTime = 2_000

/** For how long a node that is late may still show whether it has a record, at least. */
export const minLatePatience = 20

/** The same at most. */
export const maxLatePatience = 300

/** Before each try on nodes that lack a record. The claims of others that keep it out are being released. */
export const healPauses = [0, 20, 200] as const

/** The `wait` of `once` and `forget`: longer than the usual `ttl`, so that a call takes over from a dead process. */
export const onceWait = 15_000

// A store of bodies.

/** Before each look for a body: some stores are late with what was written elsewhere. */
export const storePauses = [0, 100, 400] as const

/** For how long a store may take for a body. */
export const storePatience = 15_000

/** The same for a replay without a `wait`. */
export const minStorePatience = 2_000

// The response to an HTTP request.

/**
 * For how long a response waits for background work if the process freezes after it. By then requests have arrived at
 * every node that responds; a node that hangs must not cost its whole timeout.
 */
export const maxDrainTime = 500

/** For how long a body may stay unread, even if its lock is shorter. */
export const minReadTimeout = 1_000
