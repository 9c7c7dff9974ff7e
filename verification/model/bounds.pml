/*
 * How large the world is. The runner sets these (checks.ts); within them, everything is tried.
 */
#ifndef NODES
#define NODES 3
#endif
/* An attempt is one try of one client to get the lock, under a value of its own. A client that
   tries again is another attempt: two attempts are two clients, or one that comes back. */
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
/* How many acquires of one attempt take effect on one node, at most; it may always be none. */
#ifndef ACQUIRES
#define ACQUIRES 1
#endif
/* The same for raise and extend, which are one request: rounds of it. */
#ifndef RAISES
#define RAISES 1
#endif
/* How many requests beyond those take effect, over all attempts and nodes: acquires that are sent
   again while the vote is split, and any request that the network delivers twice. */
#ifndef DUPLICATES
#define DUPLICATES 0
#endif
/* How many times, over all nodes, a node loses everything that it knew. */
#ifndef RESTARTS
#define RESTARTS 0
#endif
/* The counters begin anywhere from 0 to this, as earlier attempts may have left them. */
#ifndef SPREAD
#define SPREAD 1
#endif
/* What an acquire carries as the time of its client, in the units of the counter: 0 or this, anew
   for every request, since clocks differ and nodes clamp what they are told. */
#ifndef CLOCK
#define CLOCK 3
#endif
/* No counter gets higher. That is asserted, so it cuts off nothing. */
#define HIGHEST 19

/* Switches that take one safeguard away each. Some are here, the others where they belong. */
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
