/*
 * What nodes and clients remember.
 *
 * There are no clients here that wait, retry or decide, and no messages on their way. What can be
 * told from outside is only which requests take effect, in which order, and what was answered; so
 * a state is what the nodes hold, and which answers each attempt may have got.
 */

#define NOBODY 0
#define OWNER (ATTEMPT + 1)

/* One attempt, as one node has seen it. */
typedef View {
  /* Bit t: the node has answered t to a request of this attempt, while the lock was its own. All
     answers are kept, from all rounds: more than a client that forgets, or loses some, can know. */
  unsigned answers : 20;
  /* Requests that have taken effect here, of those that the bounds allow. */
  unsigned acquired : 2;
  unsigned raised : 2;
  /* The tombstone: a release of this attempt has come by. */
  unsigned released : 1
}

typedef Node {
  unsigned fence : 5;
#if RESTARTS
  /* After a restart: what the next acquire must exceed. See `restart` in node.pml. */
  unsigned seed : 5;
#endif
  unsigned lock : 2;
  unsigned mark : 2;
  View view[ATTEMPTS]
}

/* Sets of tokens: bit t is for token t. */
typedef Attempt {
  /* A request of this attempt has taken effect somewhere. */
  unsigned begun : 1;
  /* Had been confirmed by another attempt before this one began. */
  unsigned tooLow : 20;
  /* Both follow from the answers, and are kept so that guards can read them. See tokens.pml. */
  unsigned confirmed : 20;
  unsigned highest : 20
}

Node node[NODES];
Attempt attempt[ATTEMPTS];
#if RESTARTS
byte restarts;
#endif

/* Hidden variables are no part of a state: scratch, and names for the printed trace. */
hidden byte name[NODES];
hidden byte a, n;
hidden int spare, once, twice, thrice, every, set;
hidden byte unique, ordered, unbounded, unreached;

/* A process stands for the network between one attempt and one node: these two. */
#define ATTEMPT ((_pid - 1) % ATTEMPTS)
#define HERE ((_pid - 1) / ATTEMPTS)
#define NODE node[HERE]
#define VIEW node[HERE].view[ATTEMPT]
#define SELF attempt[ATTEMPT]
#define BIT(t) (1 << (t))
#define MAXIMUM(x, y) ((x) > (y) -> (x) : (y))
