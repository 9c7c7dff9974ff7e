/*
 * What must be true after every step.
 *
 * Unique: no token is confirmed by two attempts.
 * Ordered: a confirmed token is above every token that was confirmed before the attempt began.
 *
 * An attempt begins here when its first acquire takes effect, not when it is sent: more has been
 * confirmed by then, so more is asked of the token. And a token counts as confirmed as soon as its
 * last answer is given, before the reply arrives, which again asks more.
 *
 * Why it is true, without bounds: at one node the counter never falls, and every absent -> held
 * transition raises it. Let A and B confirm on quorums; these share a node, and there, say, A was
 * answered first. Between the two answers the lock went from A to B, so B's counter was higher.
 */

/* Called by every acquire that takes a free lock, which each attempt begins with. */
inline begin() {
  if
  :: !SELF.begun ->
    SELF.begun = 1;
    other = 0;
    /* `tooLow` has what earlier attempts may have confirmed (world.pml), and now also these: */
    do
    :: other < ATTEMPTS -> SELF.tooLow = SELF.tooLow | attempt[other].confirmed; other++
    :: else -> break
    od;
    /* and all below them. */
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
