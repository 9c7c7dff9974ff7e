/*
 * What a node does with a request that takes effect: the Lua script, one atomic step.
 *
 * A request that finds the lock in another's hands, or its own tombstone, changes nothing, so it
 * is the same as one that was lost, and needs no step.
 */

/* Is the lock held, and by this attempt? Or may it be taken: free, or expired by now. */
#define MINE (NODE.lock == OWNER)

/* Expiry is told here, and is no step of its own: that a lock has expired can be noticed only by
   the next request that comes to the node, so it may as well expire just before. */
#define EXPIRE \
  if \
  :: NODE.lock != NOBODY -> \
    printf("| the lock of %c at node %d expires\n", 'A' + NODE.lock - 1, name[HERE]); \
    NODE.lock = NOBODY \
  :: else \
  fi

#define ANSWER(token) \
  unbounded = (token) > HIGHEST; \
  assert(!unbounded); \
  VIEW.answers = VIEW.answers | BIT(token)

/* The free lock is taken: every absent -> held transition raises the counter. */
inline grant(clock) {
  begin();
  EXPIRE;
  VIEW.acquired++;
  NODE.lock = OWNER;
  NODE.mark = OWNER;
  NODE.fence = MAXIMUM(NODE.fence + ACQUIRE_STEP, clock);
  SEED_FROM_CLOCK;
  printf("| node %d grants %c the lock: F=%d\n", name[HERE], 'A' + ATTEMPT, NODE.fence);
  ANSWER(NODE.fence)
}

/* An acquire of the attempt that holds the lock already. */
inline grantAgain(clock) {
  VIEW.acquired++;
  NODE.fence = MAXIMUM(NODE.fence, clock);
  SEED_FROM_CLOCK;
  printf("| node %d grants %c the lock it has: F=%d\n", name[HERE], 'A' + ATTEMPT, NODE.fence);
  ANSWER(NODE.fence)
}

/* Raise and extend: the lock is still mine. */
inline raise(token) {
  VIEW.raised++;
  NODE.fence = MAXIMUM(NODE.fence, token);
  printf("| node %d raises to %d for %c: F=%d\n", name[HERE], token, 'A' + ATTEMPT, NODE.fence);
#ifdef OWNER_ONLY_RAISE
  /* Broken: "still yours" is taken for a yes to the token, whatever the counter says. */
  if
  :: token > 0 -> ANSWER(token)
  :: else
  fi
#else
  ANSWER(NODE.fence)
#endif
}

/* Raise and extend: the lock has gone, and is put back since nobody else has acquired it. */
inline heal(token) {
  EXPIRE;
  VIEW.raised++;
  NODE.lock = OWNER;
#ifdef HEAL_WITHOUT_CONTINUITY
  NODE.mark = OWNER;
#endif
  NODE.fence = MAXIMUM(NODE.fence + HEAL_STEP, token);
  printf("| node %d puts the lock back for %c: F=%d\n", name[HERE], 'A' + ATTEMPT, NODE.fence);
  ANSWER(NODE.fence)
}

/* A release leaves a tombstone whoever holds the lock. */
inline release() {
  VIEW.released = 1;
  if
  :: MINE -> NODE.lock = NOBODY
  :: else
  fi;
  printf("| node %d releases for %c\n", name[HERE], 'A' + ATTEMPT)
}
