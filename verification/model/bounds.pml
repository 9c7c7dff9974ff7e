/*
 * The bounds of the search, which the runner sets (checks.ts). Within them, the search is exhaustive.
 */
#ifndef NODES
#define NODES 3
#endif
/* An attempt is one try of a client to acquire the lock, with its own lock value. A retry is another
   attempt: two attempts are two clients, or one client that retries. */
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
/* The maximum number of acquires of one attempt that take effect on one node. */
#ifndef ACQUIRES
#define ACQUIRES 1
#endif
/* The same for raise and extend, which are one kind of request. */
#ifndef RAISES
#define RAISES 1
#endif
/* The maximum number of further requests that take effect, over all attempts and nodes. They are
   acquires that are sent again after a split vote, or requests that the network delivers twice. */
#ifndef DUPLICATES
#define DUPLICATES 0
#endif
/* The maximum number of restarts without data, over all nodes. */
#ifndef RESTARTS
#define RESTARTS 0
#endif
/* The maximum number of counters that expire, over all nodes. */
#ifndef EXPIRIES
#define EXPIRIES 0
#endif
/* Whether an operator releases the lock of the first attempt by force, once on each node. */
#ifndef FORCES
#define FORCES 0
#endif
/* Whether nodes forget counters at all. */
#define FORGETS (RESTARTS + EXPIRIES)
/* Each counter begins with any number from 0 to this one, as left by earlier attempts. */
#ifndef SPREAD
#define SPREAD 1
#endif
/* The time that an acquire carries, in units of the counter: 0 or this number. It is chosen for every
   request, because clocks differ and nodes clamp the time. */
#ifndef CLOCK
#define CLOCK 3
#endif
/* The maximum of a counter. It is asserted, so it does not limit the search. */
#define HIGHEST 19

/* Switches that each remove one safeguard. Others are next to the steps that they change. */
#ifdef QUORUM_MINUS_ONE
#define QUORUM (NODES / 2)
#else
#define QUORUM (NODES / 2 + 1)
#endif

#ifdef ACQUIRE_WITHOUT_INCREMENT
#define ACQUIRE_STEP 0
#else
#define ACQUIRE_STEP 1
#endif

#ifdef HEAL_WITHOUT_INCREMENT
#define HEAL_STEP 0
#else
#define HEAL_STEP 1
#endif
