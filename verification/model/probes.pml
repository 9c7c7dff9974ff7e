/*
 * Probes: what must be possible, or the search would prove nothing. Each claims that something
 * never happens, and the runner wants to see the claim refuted by the correct protocol.
 */
#define GETS_TOKEN (before == 0 && SELF.confirmed != 0)

#if defined(PROBE_SECOND_BEGINS_LATER)
/* An attempt begins after another has confirmed, and confirms too: M has something to compare. */
#define PROBED(other) (GETS_TOKEN && (SELF.tooLow & attempt[other].confirmed) != 0)

#elif defined(PROBE_BORN_STALE)
/* An attempt confirms a token below one that is confirmed already: both ran at the same time. */
#define PROBED(other) (GETS_TOKEN && SELF.confirmed < attempt[other].confirmed)

#elif defined(PROBE_RAISE_DECIDES)
/* Nothing is confirmed until a raise is answered, while another attempt holds a token too. */
#define PROBED(other) (GETS_TOKEN && attempt[other].confirmed != 0 && step == RAISING)

#elif defined(PROBE_HEAL_DECIDES)
/* The answer that decides comes from a node that puts the lock back. */
#define PROBED(other) (GETS_TOKEN && attempt[other].confirmed != 0 && step == HEALING)

#elif defined(PROBE_AFTER_RESTART)
/* The answer that decides comes from a node that had lost everything. */
#define PROBED(other) (GETS_TOKEN && attempt[other].confirmed != 0 && step == SEEDING)

#elif defined(PROBE_DUPLICATE_DECIDES)
/* The answer that decides is to a duplicate. */
#define PROBED(other) (GETS_TOKEN && attempt[other].confirmed != 0 && step == DUPLICATING)
#endif

#ifdef PROBED
hidden byte step;
#define RELEASING 0
#define RESTARTING 6
#define ACQUIRING 5
#define RAISING 1
#define HEALING 2
#define SEEDING 3
#define DUPLICATING 4
#define STEP(kind) step = kind
#define PROBE_FOR(other) unreached = !PROBED(other); assert(unreached)
#else
#define STEP(kind) skip
#define PROBE_FOR(other) skip
#endif
