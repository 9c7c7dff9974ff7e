/*
 * Nodes are interchangeable: no step, and no property, asks which node it is. So nodes are kept in
 * order, and one state stands for all the ways in which the same nodes could be arranged: up to
 * six times fewer states for three nodes, and twenty-four for four.
 */

#if RESTARTS
#define SEED(x) node[x].seed
#else
#define SEED(x) 0
#endif
#define COMMON(x) ((((((SEED(x) << 5) | node[x].fence) << 2) | node[x].lock) << 2) | node[x].mark)
#define OF(x, y) node[x].view[y]
#define PRIVATE(x, y) ((((((OF(x, y).answers << 2) | OF(x, y).acquired) << 2) | OF(x, y).raised) << 1) | OF(x, y).released)
#define SWAP(x, y) spare = x; x = y; y = spare

inline inOrder(x, y) {
  spare = COMMON(x) - COMMON(y);
  a = 0;
  do
  :: spare == 0 && a < ATTEMPTS -> spare = PRIVATE(x, a) - PRIVATE(y, a); a++
  :: else -> break
  od;
  if
  :: spare > 0 ->
    SWAP(name[x], name[y]);
    SWAP(node[x].fence, node[y].fence);
#if RESTARTS
    SWAP(node[x].seed, node[y].seed);
#endif
    SWAP(node[x].lock, node[y].lock);
    SWAP(node[x].mark, node[y].mark);
    a = 0;
    do
    :: a < ATTEMPTS ->
      SWAP(OF(x, a).answers, OF(y, a).answers);
      SWAP(OF(x, a).acquired, OF(y, a).acquired);
      SWAP(OF(x, a).raised, OF(y, a).raised);
      SWAP(OF(x, a).released, OF(y, a).released);
      a++
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
