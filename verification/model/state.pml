/* The state of nodes and clients. */

#define NOBODY 0

/* The requests of one attempt to one node. In a set of tokens, bit t represents token t. */
typedef View {
  /* The counters that the node has answered with while this attempt held the lock. */
  unsigned answers : 20;
  /* The number of requests that have taken effect, without duplicates. */
  unsigned acquired : 2;
  unsigned raised : 2;
#if FORCES
  /* An operator has made the node forget this attempt. */
  unsigned forced : 1;
#endif
  /* The tombstone: a release of this attempt has arrived. */
  unsigned released : 1
}

typedef Node {
  unsigned fence : 5;
#if FORGETS
  /* The counter before it was lost or expired, until the first acquire after that. */
  unsigned seed : 5;
#endif
  /* The holder of the lock, and the attempt that acquired last: NOBODY, or its number plus one. */
  unsigned lock : 2;
  unsigned mark : 2;
  View view[ATTEMPTS]
}

typedef Attempt {
  /* A request of this attempt has taken effect on some node. */
  unsigned begun : 1;
  /* The tokens that are not above all those confirmed when this attempt began. */
  unsigned tooLow : 20;
  /* Both follow from the answers (tokens.pml), and are stored so that guards can read them. */
  unsigned confirmed : 20;
  unsigned highest : 20
}

Node node[NODES];
Attempt attempt[ATTEMPTS];
#if DUPLICATES
byte duplicates;
#endif
#if RESTARTS
byte restarts;
#endif
#if EXPIRIES
byte expiries;
#endif

/* Each process models the network between one attempt and one node. */
#define ATTEMPT ((_pid - 1) % ATTEMPTS)
#define HERE ((_pid - 1) / ATTEMPTS)
#define OWNER (ATTEMPT + 1)
#define NODE node[HERE]
#define VIEW node[HERE].view[ATTEMPT]
#define SELF attempt[ATTEMPT]

/* Hidden variables are not part of the state: the names of nodes in traces, and temporary values. */
hidden byte name[NODES];
hidden byte other, each;
hidden int spare, once, twice, thrice, every, set, before;
hidden byte unique, ordered, staysForgotten, inBounds, unreached;

#if FORCES
#define FORCED(x) node[x].view[ATTEMPT].forced
#define IS_FORCED (FORCED(0) || FORCED(1) || FORCED(2))
#else
#define IS_FORCED false
#endif

#define BIT(t) (1 << (t))
#define MAXIMUM(x, y) ((x) > (y) -> (x) : (y))

/* A request takes effect: a regular one while the bounds allow it, then a duplicate. */
#if DUPLICATES
#define CAN_SPEND(spent, limit) (spent < limit || duplicates < DUPLICATES)
#define SPEND(spent, limit) \
  if \
  :: spent < limit -> spent++ \
  :: else -> duplicates++; STEP(DUPLICATING) \
  fi
#else
#define CAN_SPEND(spent, limit) (spent < limit)
#define SPEND(spent, limit) spent++
#endif
