/*
 * The tokens that an attempt may confirm, given the answers of the nodes.
 *
 * A client confirms one token. In the model, an attempt confirms every token that its answers in all
 * rounds would confirm. A client that loses replies has fewer answers, and would confirm fewer tokens.
 * The maximum of its answers is one of `highest`: the maxima of all combinations of answers from a
 * quorum. So the model does not have to lose replies.
 */

/* All tokens from the minimum of a set upwards. */
#define UPWARDS(tokens) (-((tokens) & -(tokens)))

/* Counts the sets that contain each bit. */
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
  /* Broken: the maximum is the token, even if other nodes have answered with lower ones. */
  SELF.confirmed = SELF.highest
#else
  /* A token is confirmed when a quorum of distinct nodes has answered with exactly that number. */
  once = 0; twice = 0; thrice = 0;
  each = 0;
  do
  :: each < NODES -> COUNT(node[each].view[ATTEMPT].answers); each++
  :: else -> break
  od;
  SELF.confirmed = QUORUM_SHARES
#endif
}
