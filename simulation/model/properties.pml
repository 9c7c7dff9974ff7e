/*
 * What must be true after every step.
 *
 * U, unique: no token is confirmed by two attempts.
 * M, monotone: a confirmed token is above every token that was confirmed before the attempt began.
 *
 * An attempt begins here when its first acquire takes effect, not when it is sent: more has been
 * confirmed by then, so more is asked of the token. And a token counts as confirmed as soon as its
 * last answer is given, before the reply arrives, which again asks more.
 *
 * Why it is true, without bounds: at one node the counter never falls, and every absent -> held
 * transition raises it. Let A and B confirm on quorums; these share a node, and there, say, A was
 * answered first. Between the two answers the lock went from A to B, so B's counter was higher.
 */

/* Earlier attempts may have confirmed what a quorum of nodes had reached in the beginning. */
inline begin() {
  if
  :: !SELF.begun ->
    SELF.begun = 1;
    a = 0;
    do
    :: a < ATTEMPTS -> SELF.tooLow = SELF.tooLow | attempt[a].confirmed; a++
    :: else -> break
    od;
    /* Whatever is below a token that is too low is too low. */
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

#ifdef PROBE
#define REACHED(condition) unreached = !(condition); assert(unreached)
#else
#define REACHED(condition) skip
#endif

inline check() {
  every = SELF.confirmed;
  concludeFromAnswers();
  ordered = (SELF.confirmed & SELF.tooLow) == 0;
  if
  :: !ordered -> printf("| %c confirms a token that is not above one confirmed before\n", 'A' + ATTEMPT)
  :: else
  fi;
  assert(ordered);
  a = 0;
  do
  :: a < ATTEMPTS ->
    if
    :: a != ATTEMPT ->
      unique = (SELF.confirmed & attempt[a].confirmed) == 0;
      if
      :: !unique -> printf("| %c and %c confirm the same token\n", 'A' + a, 'A' + ATTEMPT)
      :: else
      fi;
      assert(unique)
    :: else
    fi;
    a++
  :: else -> break
  od
}
