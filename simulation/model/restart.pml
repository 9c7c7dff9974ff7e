/*
 * A node loses all it knew: lock, counter, mark and tombstones.
 *
 * With quarantine it abstains until every lock that was granted before has expired; here that is
 * one more reason for a request to be late. What matters for tokens is the other half: by then
 * every client's clock has passed the counter that was lost, and an acquire carries that clock, so
 * the first grant is above it. Only above the node's *own* former counter, which is less than a
 * clock gives: what other nodes issued meanwhile may be higher.
 */
#if RESTARTS
#define SEED_FROM_CLOCK NODE.fence = MAXIMUM(NODE.fence, NODE.seed + 1); NODE.seed = 0
#else
#define SEED_FROM_CLOCK skip
#endif

#if RESTARTS
inline restart() {
  restarts++;
#ifndef RESTART_WITHOUT_QUARANTINE
  NODE.seed = MAXIMUM(NODE.seed, NODE.fence);
#endif
  NODE.fence = 0;
  NODE.lock = NOBODY;
  NODE.mark = NOBODY;
  a = 0;
  do
  :: a < ATTEMPTS -> NODE.view[a].released = 0; a++
  :: else -> break
  od;
  printf("| node %d restarts empty\n", name[HERE])
}
#endif

/* Extend at a node that came up empty, where the mark cannot tell whether somebody else acquired
   in between: the lock is put back, and the answer is "absent", which is no vote. */
inline putBack(token) {
  VIEW.raised++;
  NODE.lock = OWNER;
  NODE.mark = OWNER;
  NODE.fence = MAXIMUM(NODE.fence + 1, token);
#ifdef PUT_BACK_SEEDED
  SEED_FROM_CLOCK;
#endif
  printf("| node %d, empty, takes the lock back for %c, as absent: F=%d\n", name[HERE], 'A' + ATTEMPT, NODE.fence)
}
