/*
 * The properties, which must be true after every step.
 *
 * - Unique: no token is confirmed by two attempts.
 * - Ordered: a confirmed token is above every token that was confirmed before the attempt began.
 * - Stays forgotten: once a quorum has forgotten an attempt by force, no quorum has its lock again.
 *
 * In the model, an attempt begins when its first acquire takes effect, not when it is sent. By then,
 * more has been confirmed, so the property is stronger. A token counts as confirmed as soon as the last
 * node has answered, before the reply arrives. That is stronger as well.
 *
 * They also hold without bounds: the counter of a node never falls, and every transition from absent to
 * held raises it. Let A and B confirm tokens on quorums. The quorums share a node, which answered one of
 * them first, say A. Between the two answers the lock passed from A to B, so B's counter was higher.
 */

/* Called by every acquire that finds the lock free. Each attempt begins with one. */
inline begin() {
  if
  :: !SELF.begun ->
    SELF.begun = 1;
    other = 0;
    /* A token is too low if it was confirmed before: by attempts before the search (world.pml), */
    /* by those in it, */
    do
    :: other < ATTEMPTS -> SELF.tooLow = SELF.tooLow | attempt[other].confirmed; other++
    :: else -> break
    od;
    /* and every lower token. */
    set = SELF.tooLow;
    set = set | (set >> 1);
    set = set | (set >> 2);
    set = set | (set >> 4);
    set = set | (set >> 8);
    set = set | (set >> 16);
    SELF.tooLow = set
  :: else
  fi
}

inline check() {
  before = SELF.confirmed;
  concludeFromAnswers();

#if FORCES
#define HAS_LOCK(x) (node[x].lock == OWNER)
  staysForgotten = FORCED(0) + FORCED(1) + FORCED(2) < QUORUM || HAS_LOCK(0) + HAS_LOCK(1) + HAS_LOCK(2) < QUORUM;
  assert(staysForgotten);
#endif
  ordered = (SELF.confirmed & SELF.tooLow) == 0;
  if
  :: !ordered -> printf("| %c confirms a token that is not above all confirmed before\n", 'A' + ATTEMPT)
  :: else
  fi;
  assert(ordered);

  other = 0;
  do
  :: other < ATTEMPTS ->
    if
    :: other != ATTEMPT ->
      unique = (SELF.confirmed & attempt[other].confirmed) == 0;
      if
      :: !unique -> printf("| %c and %c confirm the same token\n", 'A' + other, 'A' + ATTEMPT)
      :: else
      fi;
      assert(unique);
      PROBE_FOR(other)
    :: else
    fi;
    other++
  :: else -> break
  od
}
