/*
 * The fencing protocol of the lock, as a model that SPIN searches exhaustively. `npm run verify -- model`.
 *
 * Clients try to hold one key on a majority of nodes, and each successful client gets a number, its
 * token. Can two clients get the same token, or can a later client get a lower token? The model assumes
 * nothing about time: locks may expire at any moment, requests may arrive late, twice or never, and
 * clients may crash. SPIN tries every order of events within the bounds of bounds.pml.
 *
 * The model omits the following, which cannot change the result:
 *
 * - Clients that wait, retry, decide or crash. Only the requests that take effect reach the nodes. A
 *   crash or a lost request is a run in which the next step is never taken.
 * - Messages in transit. A request may take effect at any moment after its attempt began. Only then is
 *   its content (a time, a token to raise to) chosen, among all contents that could have been sent.
 *   That includes late requests, and a different token for each node.
 * - Requests without effect, because another attempt holds the lock or because of a tombstone. They
 *   are equivalent to lost requests.
 * - Replies. Each arrives immediately and is never forgotten; tokens.pml explains why that covers lost
 *   replies.
 * - Expiry of a lock as a step. Only the next request to the node can observe it, so it happens just
 *   before that request. There is no clock: any lock may have expired at any moment.
 * - Metadata, several keys, the TTL and the rank of nodes, which do not affect tokens.
 *
 * The model does not check whether two clients *hold* the lock simultaneously. That depends on clocks,
 * which is why there are tokens.
 */
#include "bounds.pml"
#include "probes.pml"
#include "state.pml"
#include "tokens.pml"
#include "properties.pml"
#include "expiry.pml"
#include "restart.pml"
#include "node.pml"
#include "symmetry.pml"
#include "world.pml"
