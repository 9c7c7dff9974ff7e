/* Every step that can happen next. */

/* Attempts are interchangeable too: the first that begins is called A. */
#define MAY_BEGIN (ATTEMPT == 0 || attempt[ATTEMPT - 1].begun)
#define MAY_ACQUIRE (VIEW.acquired < ACQUIRES && !VIEW.released && MAY_BEGIN)
#define ANSWERED (VIEW.answers & BIT(NODE.fence))

#define ACQUIRE(clock) \
  :: d_step { MAY_ACQUIRE && (clock == 0 || clock > NODE.fence + 1) -> grant(clock) } \
  :: d_step { MAY_ACQUIRE && MINE && (clock == 0 -> !ANSWERED : clock > NODE.fence) -> grantAgain(clock) }

/* A client raises or extends once a quorum has granted, to the highest answer that it has; extend
   may also do without (0). */
#define MAY_RAISE(token) \
  (VIEW.raised < RAISES && !VIEW.released && (token == 0 -> SELF.highest != 0 : (SELF.highest & BIT(token)) != 0))
#ifdef HEAL_WITHOUT_CONTINUITY
#define MAY_HEAL true
#else
#define MAY_HEAL (NODE.mark == OWNER)
#endif

#ifdef OWNER_ONLY_RAISE
#define RAISES_SOMETHING(token) token > 0 && (VIEW.answers & BIT(token)) == 0
#else
#define RAISES_SOMETHING(token) (token == 0 -> !ANSWERED : token > NODE.fence)
#endif
#ifdef PUT_BACK
#define MAY_PUT_BACK (NODE.fence == 0 && NODE.mark == NOBODY)
#else
#define MAY_PUT_BACK false
#endif

#define RAISE(token) \
  :: d_step { MAY_RAISE(token) && MINE && RAISES_SOMETHING(token) -> raise(token) } \
  :: d_step { MAY_RAISE(token) && MAY_HEAL && (token == 0 || token > NODE.fence + 1) -> heal(token) } \
  :: d_step { MAY_RAISE(token) && MAY_PUT_BACK -> putBack(token) }

proctype Network() {
  do
  :: atomic {
    if
    ACQUIRE(0)
    ACQUIRE(CLOCK)
    RAISE(0) RAISE(1) RAISE(2) RAISE(3) RAISE(4) RAISE(5) RAISE(6) RAISE(7) RAISE(8) RAISE(9)
    RAISE(10) RAISE(11) RAISE(12) RAISE(13) RAISE(14) RAISE(15) RAISE(16) RAISE(17) RAISE(18)
    RAISE(19)
    :: d_step { !VIEW.released -> release() }
#if RESTARTS
    :: d_step { ATTEMPT == 0 && restarts < RESTARTS -> restart() }
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
      printf("| node %d begins with F=%d\n", x + 1, node[x].fence);
      x++
    :: else -> break
    od;
    x = 0;
    d_step {
      n = 0;
      do
      :: n < NODES -> name[n] = n + 1; n++
      :: else -> break
      od;
      a = 0;
      do
      :: a < ATTEMPTS ->
        attempt[a].tooLow = (BIT(node[NODES - QUORUM].fence + 1) - 1) & ~1;
        a++
      :: else -> break
      od
    };
    do
    :: x < NODES * ATTEMPTS -> run Network(); x++
    :: else -> break
    od
  }
}
