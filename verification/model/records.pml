/*
 * The records of idempotent requests, as a model that SPIN searches exhaustively. `npm run verify -- model`.
 *
 * Attempts claim one key, process the request, and have a majority of nodes record their answer.
 * Others find a record, and write it to a majority. Can two different answers be recorded? Can the
 * processing of a request begin after its answer was recorded? SPIN tries every order of events within
 * the bounds below.
 *
 * - runsOnce: an attempt that begins to process the request holds the claim on a majority of nodes, and no
 *   answer is recorded. The validity ensures that it still holds the claim there, which depends on clocks.
 *   Everything else here assumes nothing about time. Claims may expire at any moment, requests to nodes may
 *   arrive late or never, and clients may crash.
 * - sameAnswer: all records that a majority has ever accepted have the same answer, so a replay never differs.
 *   Both hold as long as a majority keeps the record, so a restart without data may end them.
 * - staysForgotten: once a majority has a mark in place of the answer, only the mark is proposed under a
 *   higher token. So every client that asks a majority finds the mark.
 *
 * Omitted, as in fencing.pml: clients that wait or crash, messages in transit, and requests without
 * effect. Tombstones and releases are omitted too: a release frees a key like its expiry, and a tombstone
 * only forbids. Writing a decided record to nodes that lack it changes no decision. Records do not expire:
 * the model covers one epoch of a key.
 */
#define NODES 3
#define QUORUM 2
/* The attempts: the first CLAIMERS of them claim, the others find a record. Each has a lock value. */
#ifndef CLAIMERS
#define CLAIMERS 2
#endif
#ifndef FINDERS
#define FINDERS 1
#endif
/* The attempts that write a mark over any record that nodes report, each with one proposal. */
#ifndef FORGETTERS
#define FORGETTERS 0
#endif
#define ATTEMPTS (CLAIMERS + FINDERS + FORGETTERS)
#define FORGETS(a) ((a) >= CLAIMERS + FINDERS)
/* The answer of a mark. */
#define MARK 3
/* The maximum number of proposals of one attempt: a record under a token. */
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define PROPOSALS (ATTEMPTS * ROUNDS)
/* Whether an attempt extends its claim, once on each node. */
#ifndef RAISES
#define RAISES 0
#endif
/* The maximum number of restarts without data, over all nodes. */
#ifndef RESTARTS
#define RESTARTS 0
#endif
/* The maximum of a counter. It is asserted, so it does not limit the search. */
#define HIGHEST 15

#define NOTHING 0
#define CLAIM_OF(a) ((a) + 1)
#define RECORD_OF(p) (ATTEMPTS + 1 + (p))
#define IS_RECORD(key) ((key) > ATTEMPTS)
#define PROPOSAL_OF(key) proposal[(key) - ATTEMPTS - 1]

/* The phases of an attempt. */
#define CLAIMING 0
#define PROCESSING 1
#define PREPARING 2
#define PROPOSING 3
#define FINDING 4
#define HEALING 5

typedef View {
  /* The counters that the node has returned in this phase. */
  unsigned told : 16;
  /* The record that it has returned in this phase, as stored in the key. */
  unsigned record : 4;
  unsigned acquired : 1;
  unsigned raised : 1;
  unsigned prepared : 1
}

typedef Node {
  unsigned fence : 4;
  /* NOTHING, the claim of an attempt, or a record. */
  unsigned key : 4;
  unsigned mark : 2;
  /* The set of proposals that it has ever accepted. */
  unsigned taken : 8;
#if RESTARTS
  /* The counter before it was lost, until the first acquire after that. */
  unsigned seed : 4;
#endif
  View view[ATTEMPTS]
}

typedef Attempt {
  unsigned phase : 3;
  unsigned rounds : 2;
  /* The answer that a finder has seen. */
  unsigned seen : 2
}

typedef Proposal {
  unsigned token : 4;
  /* The answer, by the attempt that has processed the request. */
  unsigned answer : 2
}

Node node[NODES];
Attempt attempt[ATTEMPTS];
Proposal proposal[8];
/* The answer that a quorum has recorded, other than a mark, and the highest token of a mark that a quorum has. */
byte decided;
#if FORGETTERS
byte forgotten;
#define IS_FORGOTTEN (forgotten > 0)
#else
#define IS_FORGOTTEN false
#endif
/* The highest counter of all nodes. */
byte latest;
#if RESTARTS
byte restarts;
byte lost;
/* The sets of all proposals, and of the proposals whose clients have given up. */
byte made, closed;
#define IS_OPEN(p) ((closed & BIT(p)) == 0)
#define NOTE_MADE(p) made = made | BIT(p)
#else
#define IS_OPEN(p) true
#define NOTE_MADE(p) skip
#endif

hidden byte name[NODES];
hidden byte sameAnswer, staysForgotten, inBounds, runsOnce, unreached, each, best;
hidden int spare;

#define BIT(t) (1 << (t))
/* Raises the counter of this node to a number. */
#define RAISE_TO(number) \
  if \
  :: NODE.fence < (number) -> NODE.fence = number \
  :: else \
  fi
/* Adds one, unless the node already knows the attempt. */
#define ADD_UNLESS(known) \
  if \
  :: !(known) -> NODE.fence++ \
  :: else \
  fi
#define ATTEMPT ((_pid - 1) % ATTEMPTS)
#define HERE ((_pid - 1) / ATTEMPTS)
#define NODE node[HERE]
#define VIEW node[HERE].view[ATTEMPT]
#define SELF attempt[ATTEMPT]
#define MINE (NODE.key == CLAIM_OF(ATTEMPT))
#define HAS_TAKEN(x, p) ((node[x].taken & BIT(p)) != 0)
#define TAKERS(p) (HAS_TAKEN(0, p) + HAS_TAKEN(1, p) + HAS_TAKEN(2, p))

inline tell() {
  inBounds = NODE.fence < HIGHEST;
  assert(inBounds);
  VIEW.told = VIEW.told | BIT(NODE.fence)
}

#if RESTARTS
#define SEED_FROM_CLOCK \
  if \
  :: NODE.seed > 0 -> RAISE_TO(NODE.seed + 1); NODE.seed = 0; closed = made \
  :: else \
  fi
#else
#define SEED_FROM_CLOCK skip
#endif

/*
 * A node restarts empty, with quarantine: by its end the clock of the node has passed the lost counter.
 * The record of a majority may be lost then, and with it what is promised.
 */
#if RESTARTS
#define IS_LOST (lost == 1)
#define KEEPS(x) (IS_RECORD(node[x].key) && PROPOSAL_OF(node[x].key).answer == decided)
inline noteLoss() {
  if
  :: decided != 0 && KEEPS(0) + KEEPS(1) + KEEPS(2) < QUORUM -> lost = 1
  :: else
  fi
}
inline restart() {
  restarts++;
  if
  :: NODE.seed < NODE.fence -> NODE.seed = NODE.fence
  :: else
  fi;
  NODE.fence = 0;
  NODE.key = NOTHING;
  NODE.mark = NOTHING;
  printf("| node %d restarts, empty\n", name[HERE]);
  noteLoss()
}
#else
#define IS_LOST false
#define noteLoss() skip
#endif

/* Probes, as in probes.pml: situations that must be possible. */
#if defined(PROBE_TAKES_OVER)
/* An attempt makes a majority record the answer of another. */
#define PROBED(p) (proposal[p].answer != CLAIM_OF(ATTEMPT))
#elif defined(PROBE_RIVAL)
/* An answer is recorded by a majority while another attempt has proposed its own. */
#define PROBED(p) (proposal[OTHER(p)].token > 0 && proposal[OTHER(p)].answer != proposal[p].answer)
#define OTHER(p) ((p) == 0 -> 1 : 0)
#elif defined(PROBE_FORGOTTEN)
/* A mark replaces an answer that a majority has recorded. */
#define PROBED(p) (decided != 0 && proposal[p].answer == MARK)
#elif defined(PROBE_AFTER_RESTART)
/* An answer is recorded by a majority after a node has restarted empty. */
#define PROBED(p) (restarts > 0)
#endif
#ifdef PROBED
#define PROBE_FOR(p) unreached = !PROBED(p); assert(unreached)
#else
#define PROBE_FOR(p) skip
#endif

/* lock.lua: an acquire finds the key free, or its claim expired. A record rejects it. */
inline grant(minimum) {
  VIEW.acquired = 1;
  NODE.fence++;
  RAISE_TO(minimum);
  SEED_FROM_CLOCK;
  NODE.key = CLAIM_OF(ATTEMPT);
  NODE.mark = CLAIM_OF(ATTEMPT);
  printf("| node %d grants the claim of %c: F=%d\n", name[HERE], 'A' + ATTEMPT, NODE.fence);
  if
  :: SELF.phase <= PROCESSING -> tell()
  :: else
  fi
}

/* lock.lua: an extension raises the counter, and restores a claim that no other attempt has taken since. */
inline raise(token) {
  VIEW.raised = 1;
  ADD_UNLESS(MINE);
  RAISE_TO(token);
  NODE.key = CLAIM_OF(ATTEMPT);
  printf("| node %d does raise(%d) for %c: F=%d\n", name[HERE], token, 'A' + ATTEMPT, NODE.fence);
  if
  :: SELF.phase <= PROCESSING -> tell()
  :: else
  fi
}

/* record.lua: an acquire, also over a record, which stays. */
inline prepare(minimum) {
  VIEW.prepared = 1;
  if
  :: IS_RECORD(NODE.key) ->
#ifndef PROMISE_BELOW_RECORD
    RAISE_TO(PROPOSAL_OF(NODE.key).token);
#endif
    ADD_UNLESS(NODE.mark == CLAIM_OF(ATTEMPT));
    VIEW.record = NODE.key
  :: else ->
    ADD_UNLESS(MINE);
    NODE.key = CLAIM_OF(ATTEMPT)
  fi;
  RAISE_TO(minimum);
  SEED_FROM_CLOCK;
  NODE.mark = CLAIM_OF(ATTEMPT);
  printf("| node %d promises to %c: F=%d\n", name[HERE], 'A' + ATTEMPT, NODE.fence);
  tell()
}

/* A claimer begins to process the request: it holds the claim on a quorum, and has seen no record. */
#define HOLDS(x) (node[x].key == CLAIM_OF(ATTEMPT))
#define HOLDS_QUORUM (HOLDS(0) + HOLDS(1) + HOLDS(2) >= QUORUM)
inline process() {
  SELF.phase = PROCESSING;
  printf("| %c processes the request\n", 'A' + ATTEMPT);
  runsOnce = (decided == 0 && !IS_FORGOTTEN) || IS_LOST;
  assert(runsOnce)
}

/* A record is proposed under a token that a quorum of the nodes in `set` has returned exactly. */
#define TOLD(x, token) ((node[x].view[ATTEMPT].told & BIT(token)) != 0)
#define SHARE(x, set, token) (((set) & BIT(x)) && TOLD(x, token))
#define CONFIRMS(set, token) \
  (SHARE(0, set, token) + SHARE(1, set, token) + SHARE(2, set, token) >= QUORUM)
#define HEARD(x, set) (!((set) & BIT(x)) || node[x].view[ATTEMPT].told != 0)
#define HAS_HEARD(set) (HEARD(0, set) && HEARD(1, set) && HEARD(2, set))

/* The next round of an attempt begins without answers. */
inline forget() {
  each = 0;
  do
  :: each < NODES ->
    node[each].view[ATTEMPT].told = 0;
    node[each].view[ATTEMPT].record = 0;
    node[each].view[ATTEMPT].prepared = 0;
    each++
  :: else -> break
  od
}

#define OWN_PROPOSAL (ATTEMPT * ROUNDS + SELF.rounds)
inline propose(set, number) {
  best = 0;
#ifndef IGNORES_RECORDS
  each = 0;
  do
  :: each < NODES ->
    spare = node[each].view[ATTEMPT].record;
    if
    :: ((set) & BIT(each)) && spare != 0 ->
      if
      :: best == 0 -> best = spare
      :: best != 0 && PROPOSAL_OF(spare).token > PROPOSAL_OF(best).token -> best = spare
      :: else
      fi
    :: else
    fi;
    each++
  :: else -> break
  od;
#endif
  proposal[OWN_PROPOSAL].token = number;
  NOTE_MADE(OWN_PROPOSAL);
  if
  :: best != 0 -> proposal[OWN_PROPOSAL].answer = PROPOSAL_OF(best).answer
  :: best == 0 && ATTEMPT < CLAIMERS -> proposal[OWN_PROPOSAL].answer = CLAIM_OF(ATTEMPT)
  :: else -> proposal[OWN_PROPOSAL].answer = SELF.seen
  fi;
  printf("| %c proposes the answer of %c under %d\n", 'A' + ATTEMPT, 'A' + proposal[OWN_PROPOSAL].answer - 1, number);
  noteProposal(number, proposal[OWN_PROPOSAL].answer);
  SELF.rounds++;
  forget();
  SELF.phase = PROPOSING
}

/* A mark has the highest counter that its nodes have returned. Each accepts it if it has promised nothing since. */
#if FORGETTERS
inline noteProposal(number, own) {
  staysForgotten = !IS_FORGOTTEN || number <= forgotten || own == MARK;
  assert(staysForgotten)
}
#define TOLD_TO(x) node[x].view[ATTEMPT].told
#define HAS_ALL(set) (!((set) & 1) || TOLD_TO(0)) && (!((set) & 2) || TOLD_TO(1)) && (!((set) & 4) || TOLD_TO(2))
#define WITHIN(x, set) (((set) & BIT(x)) -> TOLD_TO(x) : 0)
#define IS_HIGHEST(number, set) ((WITHIN(0, set) | WITHIN(1, set) | WITHIN(2, set)) >> (number) == 1)
inline proposeMark(set, number) {
  each = 0;
  do
  :: each < NODES ->
    if
    :: !((set) & BIT(each)) -> node[each].view[ATTEMPT].told = 0
    :: else
    fi;
    each++
  :: else -> break
  od;
  proposal[OWN_PROPOSAL].token = number;
  proposal[OWN_PROPOSAL].answer = MARK;
  NOTE_MADE(OWN_PROPOSAL);
  printf("| %c proposes a mark under %d\n", 'A' + ATTEMPT, number);
  SELF.rounds++;
  SELF.phase = PROPOSING
}
#define MAY_MARK (HERE == 0 && FORGETS(ATTEMPT) && SELF.phase == PREPARING && SELF.rounds == 0)
#define MARK_WITH(set, number) \
  :: d_step { MAY_MARK && HAS_ALL(set) && IS_HIGHEST(number, set) -> proposeMark(set, number) }
#define PROPOSE_MARK(number) MARK_WITH(3, number) MARK_WITH(5, number) MARK_WITH(6, number) MARK_WITH(7, number)
inline checkProposals() {
  each = 0;
  do
  :: each < PROPOSALS ->
    staysForgotten = proposal[each].token <= forgotten || proposal[each].answer == MARK;
    assert(staysForgotten);
    each++
  :: else -> break
  od
}
#ifdef MARK_WITHOUT_PROMISE
#define KEEPS_PROMISE(p) true
#else
#define KEEPS_PROMISE(p) (BIT(NODE.fence) <= VIEW.told)
#endif
#define MAY_TAKE(p) (FORGETS((p) / ROUNDS) -> KEEPS_PROMISE(p) : FENCED(proposal[p].token))
#else
inline noteProposal(number, own) { skip }
#define MAY_TAKE(p) FENCED(proposal[p].token)
#endif

#ifdef RECORD_ON_MINORITY
#define QUORUM_OF_RECORDS 1
#else
#define QUORUM_OF_RECORDS QUORUM
#endif
/*
 * record.lua: a node accepts a record unless it has promised a higher token, or has a record of this token or a
 * higher one.
 */
#define TAKES(p, key) \
  (!IS_RECORD(key) || PROPOSAL_OF(key).token < proposal[p].token)
inline accept(p) {
  NODE.key = RECORD_OF(p);
  printf("| node %d has the answer of %c under %d\n", name[HERE], 'A' + proposal[p].answer - 1, proposal[p].token);
  NODE.taken = NODE.taken | BIT(p);
  if
  :: IS_OPEN(p) && TAKERS(p) >= QUORUM_OF_RECORDS ->
    if
#if FORGETTERS
    :: proposal[p].answer == MARK ->
      if
      :: proposal[p].token > forgotten -> forgotten = proposal[p].token
      :: else
      fi;
      checkProposals()
#endif
    :: else ->
      sameAnswer = decided == 0 || decided == proposal[p].answer || IS_LOST;
      assert(sameAnswer);
      decided = proposal[p].answer
    fi;
    PROBE_FOR(p);
    noteLoss()
  :: else
  fi
}
#if defined(UNFENCED_COMPLETION)
#define FENCED(number) true
#elif defined(FORGETFUL_COMPLETION)
#define FENCED(number) (NODE.fence <= (number))
#else
#define FENCED(number) (NODE.fence <= (number) && NODE.fence > 0)
#endif

/* Claims may expire at any moment, so only a record keeps a key. */
#ifdef CLAIM_OVER_RECORD
#define FREE (!MINE)
#else
#define FREE (!MINE && !IS_RECORD(NODE.key))
#endif

#define ACCEPT(p) \
  :: d_step { \
    (p) / ROUNDS == ATTEMPT && (p) < PROPOSALS && proposal[p].token > 0 && MAY_TAKE(p) && TAKES(p, NODE.key) -> accept(p) \
  }
#define PROPOSE(set, token) \
  :: d_step { MAY_PROPOSE && IS_NEW(token) && CONFIRMS(set, token) && HAS_HEARD(set) -> propose(set, token) }
/* Each proposal of an attempt needs a higher token than the one before. */
#ifdef SAME_TOKEN_AGAIN
#define IS_NEW(number) true
#else
#define IS_NEW(number) (SELF.rounds == 0 || proposal[OWN_PROPOSAL - 1].token < number)
#endif
#define MAY_PROPOSE (HERE == 0 && !FORGETS(ATTEMPT) && (SELF.phase == PROCESSING || SELF.phase == PREPARING) && SELF.rounds < ROUNDS)
#define PROPOSE_ANY(token) PROPOSE(3, token) PROPOSE(5, token) PROPOSE(6, token) PROPOSE(7, token)
#define PREPARE(minimum) \
  :: d_step { SELF.phase == PREPARING && !VIEW.prepared && (minimum == latest || minimum < latest) -> prepare(minimum) }
/* Claimers are interchangeable: the first one to begin is A. */
#define BEGUN(a) (node[0].view[a].acquired || node[1].view[a].acquired || node[2].view[a].acquired)
#ifdef LATE_ACQUIRES
#define IS_EARLY true
#else
#define IS_EARLY (SELF.phase <= PROCESSING)
#endif
#define MAY_BEGIN (ATTEMPT < CLAIMERS && IS_EARLY && (ATTEMPT == 0 || BEGUN(ATTEMPT - 1)))
#define ACQUIRE(minimum) \
  :: d_step { MAY_BEGIN && !VIEW.acquired && FREE && (minimum == 0 || minimum > NODE.fence + 1) -> grant(minimum) }

/* Nodes are interchangeable, so they are kept sorted: see symmetry.pml. */
#define SWAP(x, y) spare = x; x = y; y = spare
#if RESTARTS
#define SEED(x) node[x].seed
#else
#define SEED(x) 0
#endif
#define COMMON(x) ((SEED(x) << 18) | (node[x].taken << 10) | (node[x].fence << 6) | (node[x].key << 2) | node[x].mark)
#define OF(x, y) node[x].view[y]
#define PRIVATE(x, y) \
  ((OF(x, y).told << 7) | (OF(x, y).record << 3) | (OF(x, y).acquired << 2) | (OF(x, y).raised << 1) | OF(x, y).prepared)
inline inOrder(x, y) {
  spare = COMMON(x) - COMMON(y);
  each = 0;
  do
  :: spare == 0 && each < ATTEMPTS -> spare = PRIVATE(x, each) - PRIVATE(y, each); each++
  :: else -> break
  od;
  if
  :: spare > 0 ->
    SWAP(name[x], name[y]);
    SWAP(node[x].fence, node[y].fence);
    SWAP(node[x].key, node[y].key);
    SWAP(node[x].mark, node[y].mark);
    SWAP(node[x].taken, node[y].taken);
#if RESTARTS
    SWAP(node[x].seed, node[y].seed);
#endif
    each = 0;
    do
    :: each < ATTEMPTS ->
      SWAP(OF(x, each).told, OF(y, each).told);
      SWAP(OF(x, each).record, OF(y, each).record);
      SWAP(OF(x, each).acquired, OF(y, each).acquired);
      SWAP(OF(x, each).raised, OF(y, each).raised);
      SWAP(OF(x, each).prepared, OF(y, each).prepared);
      each++
    :: else -> break
    od
  :: else
  fi
}
inline sortNodes() { inOrder(0, 1); inOrder(1, 2); inOrder(0, 1) }

proctype Network() {
  do
  :: atomic {
    if
    ACQUIRE(0)
#ifdef CLOCKS
    ACQUIRE(latest)
#endif
#if RAISES
    :: d_step { ATTEMPT < CLAIMERS && !VIEW.raised && VIEW.acquired && latest > NODE.fence && (MINE || (NODE.mark == CLAIM_OF(ATTEMPT) && FREE)) -> raise(latest) }
#endif
    PREPARE(latest)
#ifdef CLOCKS
    PREPARE(0)
#endif
    ACCEPT(0) ACCEPT(1) ACCEPT(2) ACCEPT(3) ACCEPT(4) ACCEPT(5)
    :: HERE == 0 && SELF.phase == CLAIMING && ATTEMPT < CLAIMERS && HOLDS_QUORUM -> d_step { process() }
    /* After a rejected record, or without a confirmed token. */
    :: d_step { HERE == 0 && (SELF.phase == PROCESSING || SELF.phase == PROPOSING) && SELF.rounds < ROUNDS -> forget(); SELF.phase = PREPARING }
    PROPOSE_ANY(1) PROPOSE_ANY(2) PROPOSE_ANY(3) PROPOSE_ANY(4) PROPOSE_ANY(5) PROPOSE_ANY(6)
    PROPOSE_ANY(7) PROPOSE_ANY(8) PROPOSE_ANY(9) PROPOSE_ANY(10) PROPOSE_ANY(11) PROPOSE_ANY(12)
    PROPOSE_ANY(13) PROPOSE_ANY(14) PROPOSE_ANY(15)
#if FORGETTERS
    :: d_step { HERE == 0 && FORGETS(ATTEMPT) && SELF.phase == CLAIMING -> SELF.phase = PREPARING }
    PROPOSE_MARK(1) PROPOSE_MARK(2) PROPOSE_MARK(3) PROPOSE_MARK(4) PROPOSE_MARK(5) PROPOSE_MARK(6)
    PROPOSE_MARK(7) PROPOSE_MARK(8) PROPOSE_MARK(9) PROPOSE_MARK(10) PROPOSE_MARK(11) PROPOSE_MARK(12)
    PROPOSE_MARK(13) PROPOSE_MARK(14) PROPOSE_MARK(15)
#endif
#if RESTARTS
    :: d_step { ATTEMPT == 0 && restarts < RESTARTS && NODE.fence > 0 -> restart() }
#endif
    /* Some attempt has found a record on this node. */
    :: d_step { ATTEMPT >= CLAIMERS && !FORGETS(ATTEMPT) && SELF.phase == CLAIMING && IS_RECORD(NODE.key) ->
        SELF.seen = PROPOSAL_OF(NODE.key).answer; SELF.phase = PREPARING }
    fi;
    d_step {
      if
      :: latest < NODE.fence -> latest = NODE.fence
      :: else
      fi;
      sortNodes()
    }
  }
  od
}

init {
  byte x;
  atomic {
    name[0] = 1; name[1] = 2; name[2] = 3;
    do
    :: x < NODES * ATTEMPTS -> run Network(); x++
    :: else -> break
    od
  }
}
