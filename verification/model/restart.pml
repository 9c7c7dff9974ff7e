/*
 * A node restarts empty: lock, counter, mark and tombstones are lost.
 *
 * With quarantine, it first abstains until every lock that it had granted has expired. In the model,
 * that only delays requests. Tokens depend on another effect: by then, the node's clock has passed the
 * lost counter. The time that an acquire carries, even an old one, is clamped to that clock. So the
 * first acquire raises the counter above its old number on this node. A real clock gives more: the
 * counter is then also above every counter that other nodes have returned since.
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
#endif

/*
 * PUT_BACK: an extend reaches an empty node, which has no mark of the last acquisition. It
 * restores the lock and answers "absent", so that a later extend finds it. PUT_BACK_SEEDED: like an
 * acquire, it needs the clock, because another attempt may have confirmed a token there before. So a
 * node that forbids TIME does not restore the lock.
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
