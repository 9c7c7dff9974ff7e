/*
 * A fence expires some time after its lock: counter and mark are lost. Tombstones stay.
 *
 * It outlives the lock on its node for longer than clocks differ. So once it has expired, the time that
 * an acquire carries has passed the old counter: by the clock of the node, to which that time is
 * clamped, or by the clocks of clients, where the node forbids TIME. In the model the first acquire
 * raises the counter above its old number on this node. A real clock gives more: a counter that is also
 * above those that other nodes have answered meanwhile.
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
