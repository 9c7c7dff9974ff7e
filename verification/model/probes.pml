/*
 * Probes: situations that must be possible. Otherwise, the search would prove nothing. Each probe
 * claims that its situation never occurs, and the correct protocol must refute that claim.
 */
#define GETS_TOKEN (before == 0 && SELF.confirmed != 0)

#if defined(PROBE_SECOND_BEGINS_LATER)
/* An attempt begins after another has confirmed a token, and also confirms one. */
#define PROBED(other) (GETS_TOKEN && (SELF.tooLow & attempt[other].confirmed) != 0)

#elif defined(PROBE_BORN_STALE)
/* An attempt confirms a token below one that is already confirmed: both ran at the same time. */
#define PROBED(other) (GETS_TOKEN && SELF.confirmed < attempt[other].confirmed)

#elif defined(PROBE_RAISE_DECIDES)
/* The decisive reply is to a raise, while another attempt also has a token. */
#define PROBED(other) (GETS_TOKEN && attempt[other].confirmed != 0 && step == RAISING)

#elif defined(PROBE_HEAL_DECIDES)
/* The decisive reply comes from a node that restores the lock. */
#define PROBED(other) (GETS_TOKEN && attempt[other].confirmed != 0 && step == HEALING)

#elif defined(PROBE_AFTER_LOSS)
/* The decisive reply comes from a node that has restarted without data, or whose counter has expired. */
#define PROBED(other) (GETS_TOKEN && attempt[other].confirmed != 0 && step == SEEDING)

#elif defined(PROBE_DUPLICATE_DECIDES)
/* The decisive reply is to a duplicate. */
#define PROBED(other) (GETS_TOKEN && attempt[other].confirmed != 0 && step == DUPLICATING)
#endif

#ifdef PROBED
hidden byte step;
#define RELEASING 0
#define RESTARTING 6
#define FORGETTING 7
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
