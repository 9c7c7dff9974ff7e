/* What a node does with a request that takes effect: the Lua script, in one atomic step. */

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

/* An acquire finds the lock free. Every change from free to held raises the counter. */
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

/* An acquire of the attempt that holds the lock already need not raise it. */
inline grantAgain(clock) {
  STEP(ACQUIRING);
  SPEND(VIEW.acquired, ACQUIRES);
  NODE.fence = MAXIMUM(NODE.fence, clock);
  SEED_FROM_CLOCK;
  printf("| node %d grants %c again: F=%d\n", name[HERE], 'A' + ATTEMPT, NODE.fence);
  ANSWER(NODE.fence)
}

/* Raise, or extend: the lock is held by who asks. */
inline raise(token) {
  STEP(RAISING);
  SPEND(VIEW.raised, RAISES);
  NODE.fence = MAXIMUM(NODE.fence, token);
  printf("| node %d does raise(%d) for %c: F=%d\n", name[HERE], token, 'A' + ATTEMPT, NODE.fence);
#ifdef RAISE_ACKS_OWNERSHIP
  /* Broken: "still yours" is taken for a yes to the token, whatever the counter says. */
  if
  :: token > 0 -> ANSWER(token)
  :: else
  fi
#else
  ANSWER(NODE.fence)
#endif
}

/* Raise, or extend: the lock is gone, and put back because nobody else has acquired it since. */
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

/* A release leaves its tombstone whoever holds the lock. It may overtake what was sent before. One
   whose tombstone has been forgotten by the time it matters is no more than an early expiry. */
inline release() {
  STEP(RELEASING);
  VIEW.released = 1;
  if
  :: MINE -> NODE.lock = NOBODY
  :: else
  fi;
  printf("| node %d does release for %c\n", name[HERE], 'A' + ATTEMPT)
}
