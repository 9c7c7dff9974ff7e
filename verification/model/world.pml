/* All steps that can happen next, except steps that would change nothing. */

/* Attempts are interchangeable: the first one to begin is A, the next one is B. */
#define MAY_BEGIN (ATTEMPT == 0 || attempt[ATTEMPT - 1].begun)
/* Acquires that arrive after a release by force are left out: a node would grant them again. */
#define MAY_ACQUIRE (CAN_SPEND(VIEW.acquired, ACQUIRES) && !VIEW.released && !IS_FORCED && MAY_BEGIN)
#define ANSWERED(token) ((VIEW.answers & BIT(token)) != 0)

#define ACQUIRE(clock) \
  :: d_step { MAY_ACQUIRE && (clock == 0 || clock > NODE.fence + 1) -> grant(clock) } \
  :: d_step { \
    MAY_ACQUIRE && MINE && (clock == 0 -> !ANSWERED(NODE.fence) : clock > NODE.fence) -> \
      grantAgain(clock) \
  }

/* Once a quorum has granted the lock, a client raises counters to its highest answer, to confirm a token
   or with an extend. An extend may also come without a token (0). With RAISE_TO_ANYTHING, a client may
   request other tokens as well. */
#ifdef RAISE_TO_ANYTHING
#define HAS(token) \
  (SELF.highest != 0 && (token <= RAISE_TO_ANYTHING || (SELF.highest & BIT(token)) != 0))
#else
#define HAS(token) (token == 0 -> SELF.highest != 0 : (SELF.highest & BIT(token)) != 0)
#endif
#define MAY_RAISE(token) (CAN_SPEND(VIEW.raised, RAISES) && !VIEW.released && HAS(token))
#ifdef RAISE_ACKS_OWNERSHIP
#define RAISE_MATTERS(token) (token > 0 && !ANSWERED(token))
#else
#define RAISE_MATTERS(token) (token == 0 -> !ANSWERED(NODE.fence) : token > NODE.fence)
#endif
/* Continuity: the mark shows that no other attempt has acquired in between. */
#ifdef HEAL_WITHOUT_CONTINUITY
#define MAY_HEAL (NODE.mark != NOBODY)
#else
#define MAY_HEAL (NODE.mark == OWNER)
#endif
#ifdef PUT_BACK
#define PUT_BACK_INTO_EMPTY(token) \
  :: d_step { MAY_RAISE(token) && NODE.fence == 0 && NODE.mark == NOBODY -> putBack(token) }
#else
#define PUT_BACK_INTO_EMPTY(token)
#endif

#define RAISE(token) \
  :: d_step { MAY_RAISE(token) && MINE && RAISE_MATTERS(token) -> raise(token) } \
  :: d_step { \
    MAY_RAISE(token) && MAY_HEAL && (token == 0 || token > NODE.fence + HEAL_STEP) -> heal(token) \
  } \
  PUT_BACK_INTO_EMPTY(token)

proctype Network() {
  do
  :: atomic {
    if
    ACQUIRE(0) ACQUIRE(CLOCK)
#if RAISES
    RAISE(0) RAISE(1) RAISE(2) RAISE(3) RAISE(4) RAISE(5) RAISE(6) RAISE(7) RAISE(8) RAISE(9)
    RAISE(10) RAISE(11) RAISE(12) RAISE(13) RAISE(14) RAISE(15) RAISE(16) RAISE(17) RAISE(18)
    RAISE(19)
#endif
#ifndef WITHOUT_RELEASES
    :: d_step { !VIEW.released -> release() }
#endif
#if FORCES
    :: d_step { ATTEMPT == 0 && SELF.begun && !VIEW.forced -> force() }
#endif
#if RESTARTS
    :: d_step { ATTEMPT == 0 && restarts < RESTARTS -> restart() }
#endif
#if EXPIRIES
    :: d_step { ATTEMPT == 0 && expiries < EXPIRIES && NODE.fence > 0 -> expireFence() }
#endif
    fi;
    d_step { check(); sortNodes() }
  }
  od
}

init {
  byte x;
  atomic {
    do
    :: x < NODES ->
      if
      :: x > 0 -> node[x].fence = node[x - 1].fence
      :: else
      fi;
      do
      :: node[x].fence < SPREAD -> node[x].fence++
      :: break
      od;
      x++
    :: else -> break
    od;
    x = 0;
    d_step {
      each = 0;
      do
      :: each < NODES ->
        name[each] = each + 1;
        printf("| node %d begins with F=%d\n", name[each], node[each].fence);
        each++
      :: else -> break
      od;
      /* Earlier attempts may have confirmed any number that a quorum has reached, except 0. */
      other = 0;
      do
      :: other < ATTEMPTS ->
        attempt[other].tooLow = (BIT(node[NODES - QUORUM].fence + 1) - 1) & ~1;
        other++
      :: else -> break
      od
    };
    do
    :: x < NODES * ATTEMPTS -> run Network(); x++
    :: else -> break
    od
  }
}
