/*
 * Which tokens an attempt may believe to hold, from what it has been answered.
 *
 * A client confirms a token once; here an attempt holds every token that its answers, of all
 * rounds, would confirm. A client that loses replies, or forgets some, knows fewer answers and
 * confirms fewer tokens; what it would take for the maximum of the answers it did get is one of
 * `highest`: the maximum of any choice of answers from a quorum. So no reply need be lost here.
 */

/* All tokens that are not below the least of a set. */
#define UPWARDS(tokens) (-((tokens) & -(tokens)))

/* In how many sets is each bit? */
#define COUNT(tokens) \
  thrice = thrice | (twice & (tokens)); \
  twice = twice | (once & (tokens)); \
  once = once | (tokens)
#if QUORUM == 1
#define QUORUM_SHARES once
#elif QUORUM == 2
#define QUORUM_SHARES twice
#elif QUORUM == 3
#define QUORUM_SHARES thrice
#endif

inline concludeFromAnswers() {
  once = 0; twice = 0; thrice = 0; every = 0;
  each = 0;
  do
  :: each < NODES ->
    set = node[each].view[ATTEMPT].answers;
    every = every | set;
    set = UPWARDS(set);
    COUNT(set);
    each++
  :: else -> break
  od;
  SELF.highest = QUORUM_SHARES & every;

#ifdef MAX_WITHOUT_RAISE
  /* Broken: the maximum is the token, whether or not the others agree. */
  SELF.confirmed = SELF.highest
#else
  /* A token is confirmed when a quorum of distinct nodes has answered exactly it. */
  once = 0; twice = 0; thrice = 0;
  each = 0;
  do
  :: each < NODES -> COUNT(node[each].view[ATTEMPT].answers); each++
  :: else -> break
  od;
  SELF.confirmed = QUORUM_SHARES
#endif
}
