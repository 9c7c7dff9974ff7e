/*
 * A fence expires some time after its lock: counter and mark are lost. Tombstones stay.
 *
 * It outlives the lock on its node for longer than clocks differ. So once it has expired, the time that
 * an acquire carries has passed the old counter. That time is clamped to the clock of the node; if the
 * node forbids TIME, it comes from the clocks of clients. In the model, the first acquire raises the
 * counter above its old number on this node. A real clock gives more: the counter is then also above
 * every counter that other nodes have returned since.
 */
#if EXPIRIES
inline expireFence() {
  STEP(FORGETTING);
  expiries++;
#ifndef EXPIRY_UNSEEDED
  NODE.seed = MAXIMUM(NODE.seed, NODE.fence);
#endif
#ifndef FENCE_EXPIRES_FIRST
  NODE.lock = NOBODY;
#endif
  NODE.fence = 0;
  NODE.mark = NOBODY;
  printf("| the fence on node %d expires\n", name[HERE])
}
#endif

/* The first acquire after a counter was lost or has expired. */
#if FORGETS
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
