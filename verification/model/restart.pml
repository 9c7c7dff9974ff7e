/*
 * A node comes up empty: lock, counter, mark and tombstones are gone.
 *
 * With quarantine it first abstains until every lock granted before has expired. Here, that is one
 * more reason for requests to be late. What tokens rest on is the other half: the node's clock has
 * passed the lost counter by then, and the time that an acquire carries, even an old one, is
 * clamped to it; so the first acquire puts the counter above what it was on this node. That is less
 * than a clock gives, for it need not be above what other nodes have answered meanwhile.
 */
#if RESTARTS
inline restart() {
  STEP(RESTARTING);
  restarts++;
#ifndef RESTART_WITHOUT_QUARANTINE
  NODE.seed = MAXIMUM(NODE.seed, NODE.fence);
#endif
  NODE.fence = 0;
  NODE.lock = NOBODY;
  NODE.mark = NOBODY;
  other = 0;
  do
  :: other < ATTEMPTS -> NODE.view[other].released = 0; other++
  :: else -> break
  od;
  printf("| node %d restarts, empty\n", name[HERE])
}

#define SEED_FROM_CLOCK \
  if \
  :: NODE.seed > 0 -> \
    NODE.fence = MAXIMUM(NODE.fence, NODE.seed + 1); \
    NODE.seed = 0; \
    STEP(SEEDING) \
  :: else \
  fi
#else
#define SEED_FROM_CLOCK skip
#endif

/*
 * An extend that comes to an empty node, where no mark tells who acquired last, puts the lock back
 * and answers "absent", so that a later one finds it: PUT_BACK. It needs the clock as an acquire
 * does, PUT_BACK_SEEDED: another may have confirmed a token there before the node forgot it.
 */
#ifdef PUT_BACK
inline putBack(token) {
  STEP(HEALING);
  SPEND(VIEW.raised, RAISES);
  NODE.lock = OWNER;
  NODE.mark = OWNER;
  NODE.fence = MAXIMUM(NODE.fence + 1, token);
#ifdef PUT_BACK_SEEDED
  SEED_FROM_CLOCK;
#endif
  printf("| node %d does raise(%d), empty, puts the lock of %c back and says absent: F=%d\n", name[HERE], token, 'A' + ATTEMPT, NODE.fence)
}
#endif
