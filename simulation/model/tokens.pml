/*
 * Which tokens an attempt may believe to hold, from what it may have been answered.
 *
 * Losing a reply can only take answers away. So no reply is ever lost here: what a client with
 * fewer answers would confirm is confirmed here too, and what it would take for the highest answer
 * is in `highest`, for that is the maximum of any choice of answers by a quorum.
 */

/* All tokens that are not below the least of a set. */
#define UPWARDS(set) (-((set) & -(set)))

/* Counts in how many sets each bit is; a quorum of more than three nodes is not foreseen. */
#define COUNT(set) thrice = thrice | (twice & (set)); twice = twice | (once & (set)); once = once | (set)
#if QUORUM == 1
#define SHARED once
#elif QUORUM == 2
#define SHARED twice
#else
#define SHARED thrice
#endif

inline concludeFromAnswers() {
  once = 0; twice = 0; thrice = 0; every = 0;
  n = 0;
  do
  :: n < NODES ->
    set = node[n].view[ATTEMPT].answers;
    every = every | set;
    set = UPWARDS(set);
    COUNT(set);
    n++
  :: else -> break
  od;
  SELF.highest = SHARED & every;
#ifdef MAX_WITHOUT_RAISE
  /* Broken: the highest answer of a quorum is the token, whether or not others agree. */
  SELF.confirmed = SELF.highest
#else
  /* Confirmed: a quorum of distinct nodes has answered exactly this. */
  once = 0; twice = 0; thrice = 0;
  n = 0;
  do
  :: n < NODES -> COUNT(node[n].view[ATTEMPT].answers); n++
  :: else -> break
  od;
  SELF.confirmed = SHARED
#endif
}
