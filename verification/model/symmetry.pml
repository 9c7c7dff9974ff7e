/*
 * Nodes are interchangeable: no step and no property depends on which node it is. So they are kept
 * sorted, and one state represents all permutations of its nodes: up to six with three nodes, and
 * twenty-four with four. Their names are sorted with them, so that they stay the same in a trace.
 */

#if FORGETS
#define SEED(x) node[x].seed
#else
#define SEED(x) 0
#endif
#define COMMON(x) \
  ((SEED(x) << 9) | (node[x].fence << 4) | (node[x].lock << 2) | node[x].mark)
#define OF(x, y) node[x].view[y]
#if FORCES
#define FORCED_AS(x, y) OF(x, y).forced
#else
#define FORCED_AS(x, y) 0
#endif
#define PRIVATE(x, y) \
  ((FORCED_AS(x, y) << 25) | (OF(x, y).answers << 5) | (OF(x, y).acquired << 3) | (OF(x, y).raised << 1) | OF(x, y).released)
#define SWAP(x, y) spare = x; x = y; y = spare

inline inOrder(x, y) {
  spare = COMMON(x) - COMMON(y);
  other = 0;
  do
  :: spare == 0 && other < ATTEMPTS -> spare = PRIVATE(x, other) - PRIVATE(y, other); other++
  :: else -> break
  od;
  if
  :: spare > 0 ->
    SWAP(name[x], name[y]);
    SWAP(node[x].fence, node[y].fence);
#if FORGETS
    SWAP(node[x].seed, node[y].seed);
#endif
    SWAP(node[x].lock, node[y].lock);
    SWAP(node[x].mark, node[y].mark);
    other = 0;
    do
    :: other < ATTEMPTS ->
      SWAP(OF(x, other).answers, OF(y, other).answers);
      SWAP(OF(x, other).acquired, OF(y, other).acquired);
      SWAP(OF(x, other).raised, OF(y, other).raised);
      SWAP(OF(x, other).released, OF(y, other).released);
#if FORCES
      SWAP(OF(x, other).forced, OF(y, other).forced);
#endif
      other++
    :: else -> break
    od
  :: else
  fi
}

inline sortNodes() {
  inOrder(0, 1);
  inOrder(1, 2);
  inOrder(0, 1);
#if NODES == 4
  inOrder(2, 3);
  inOrder(1, 2);
  inOrder(0, 1)
#endif
}
