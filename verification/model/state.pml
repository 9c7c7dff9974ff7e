/* What nodes and clients remember. */

#define NOBODY 0

/* One attempt, as one node has seen it. A set of tokens has bit t for token t. */
typedef View {
  /* What the node has answered to requests of this attempt while the lock was its own. */
  unsigned answers : 20;
  /* Requests that have taken effect, of those that the bounds allow. */
  unsigned acquired : 2;
  unsigned raised : 2;
  /* The tombstone: a release of this attempt has come by. */
  unsigned released : 1
}

typedef Node {
  unsigned fence : 5;
#if RESTARTS
  /* What the counter was before it was lost, until the first acquire after that. */
  unsigned seed : 5;
#endif
  /* Whose lock is held, and who acquired last: NOBODY, or the number of an attempt plus one. */
  unsigned lock : 2;
  unsigned mark : 2;
  View view[ATTEMPTS]
}

typedef Attempt {
  /* A request of this attempt has taken effect somewhere. */
  unsigned begun : 1;
  /* Tokens that are not above all that had been confirmed when this attempt began. */
  unsigned tooLow : 20;
  /* These follow from the answers (tokens.pml); they are kept so that guards can read them. */
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

/* A process is the network between one attempt and one node. These are the two. */
#define ATTEMPT ((_pid - 1) % ATTEMPTS)
#define HERE ((_pid - 1) / ATTEMPTS)
#define OWNER (ATTEMPT + 1)
#define NODE node[HERE]
#define VIEW node[HERE].view[ATTEMPT]
#define SELF attempt[ATTEMPT]

/* Hidden variables are no part of a state: what a node is called in the trace, and scratch. */
hidden byte name[NODES];
hidden byte other, each;
hidden int spare, once, twice, thrice, every, set, before;
hidden byte unique, ordered, inBounds, unreached;

#define BIT(t) (1 << (t))
#define MAXIMUM(x, y) ((x) > (y) -> (x) : (y))

/* A request takes effect: one of those that are due, or else a duplicate. */
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
