/* Requests that take effect on a node: the Lua script, in one atomic step. */

#define MINE (NODE.lock == OWNER)

#define ANSWER(token) \
  inBounds = (token) <= HIGHEST; \
  assert(inBounds); \
  VIEW.answers = VIEW.answers | BIT(token)

#define EXPIRE \
  if \
  :: NODE.lock != NOBODY -> \
    printf("| the lock of %c on node %d expires\n", 'A' + NODE.lock - 1, name[HERE]) \
  :: else \
  fi

/* An acquire finds the lock free. Every transition from free to held raises the counter. */
inline grant(clock) {
  STEP(ACQUIRING);
  begin();
  EXPIRE;
  SPEND(VIEW.acquired, ACQUIRES);
  NODE.lock = OWNER;
  NODE.mark = OWNER;
  NODE.fence = MAXIMUM(NODE.fence + ACQUIRE_STEP, clock);
  SEED_FROM_CLOCK;
  printf("| node %d grants %c the lock: F=%d\n", name[HERE], 'A' + ATTEMPT, NODE.fence);
  ANSWER(NODE.fence)
}

/* An acquire of the attempt that already holds the lock. It does not have to raise the counter. */
inline grantAgain(clock) {
  STEP(ACQUIRING);
  SPEND(VIEW.acquired, ACQUIRES);
  NODE.fence = MAXIMUM(NODE.fence, clock);
  SEED_FROM_CLOCK;
  printf("| node %d grants %c again: F=%d\n", name[HERE], 'A' + ATTEMPT, NODE.fence);
  ANSWER(NODE.fence)
}

/* A raise or an extend by the attempt that holds the lock. */
inline raise(token) {
  STEP(RAISING);
  SPEND(VIEW.raised, RAISES);
  NODE.fence = MAXIMUM(NODE.fence, token);
  printf("| node %d does raise(%d) for %c: F=%d\n", name[HERE], token, 'A' + ATTEMPT, NODE.fence);
#ifdef RAISE_ACKS_OWNERSHIP
  /* Broken: holding the lock counts as a yes to the token, whatever the counter is. */
  if
  :: token > 0 -> ANSWER(token)
  :: else
  fi
#else
  ANSWER(NODE.fence)
#endif
}

/* A raise or an extend after the lock has expired. It is restored if no other has acquired since. */
inline heal(token) {
  STEP(HEALING);
  EXPIRE;
  SPEND(VIEW.raised, RAISES);
  NODE.lock = OWNER;
  NODE.mark = OWNER;
  NODE.fence = MAXIMUM(NODE.fence + HEAL_STEP, token);
  printf("| node %d does raise(%d), puts the lock of %c back: F=%d\n", name[HERE], token, 'A' + ATTEMPT, NODE.fence);
  ANSWER(NODE.fence)
}

/* A release by force: the node forgets the attempt, even if the key is free. Others keep the lock. */
#if FORCES
inline force() {
  STEP(RELEASING);
  VIEW.forced = 1;
  if
  :: MINE -> NODE.lock = NOBODY
  :: else
  fi;
#ifndef FORCE_KEEPS_MARK
  if
  :: NODE.mark == OWNER -> NODE.mark = NOBODY
  :: else
  fi;
#endif
  printf("| node %d forgets %c\n", name[HERE], 'A' + ATTEMPT)
}
#endif

/* A release leaves its tombstone, even if another attempt holds the lock. It may overtake earlier
   requests. If the tombstone expires before a late request arrives, that equals an early expiry. */
inline release() {
  STEP(RELEASING);
  VIEW.released = 1;
  if
  :: MINE -> NODE.lock = NOBODY
  :: else
  fi;
  printf("| node %d does release for %c\n", name[HERE], 'A' + ATTEMPT)
}
