/*
 * How large the world is. The runner sets each of these with -D; these are the defaults.
 *
 * All of them are bounds on what may happen, and within them everything is tried. That they are
 * bounds is the one thing that the search leaves open; fencing tokens have a proof besides, which
 * has no bounds (properties.pml).
 */
#ifndef NODES
#define NODES 3
#endif
/* An attempt is one try of one client to get the lock, under a value of its own. A client that
   tries again is a new attempt, so two attempts are two clients, or one that comes back. */
#ifndef ATTEMPTS
#define ATTEMPTS 2
#endif
/* How often an acquire of one attempt can take effect on one node. 1: the request arrives once or
   never. 2: it is also sent again by the client, or delivered twice by the network. */
#ifndef ACQUIRES
#define ACQUIRES 1
#endif
/* The same for raise and extend, which are one request. 2: two rounds, or one that comes twice. */
#ifndef RAISES
#define RAISES 1
#endif
/* How many times, over all nodes, a node loses everything that it knew. */
#ifndef RESTARTS
#define RESTARTS 0
#endif
/* The counters of the nodes begin anywhere from 0 to this, as an earlier history left them. */
#ifndef SPREAD
#define SPREAD 1
#endif
/* What the clock of a client may say, beside nothing: every acquire may carry 0 or this. */
#ifndef CLOCK
#define CLOCK 3
#endif
/* No counter gets higher than this. That is asserted, so the bound cuts off nothing. */
#define HIGHEST 19

/* The switches below break the protocol, one safeguard each. The search must notice. */
#ifdef QUORUM_MINUS_ONE
#define QUORUM (NODES / 2)
#else
#define QUORUM (NODES / 2 + 1)
#endif

#ifdef NO_INCREMENT
#define ACQUIRE_STEP 0
#else
#define ACQUIRE_STEP 1
#endif

#ifdef HEAL_WITHOUT_INCREMENT
#define HEAL_STEP 0
#else
#define HEAL_STEP 1
#endif
