/*
 * The fencing protocol of the lock, as a model that SPIN searches exhaustively. `npm run model`.
 *
 * Clients try to hold one key on a majority of nodes, and each that does gets a number, its token.
 * Can two ever get the same token, or a later one a smaller token? Nothing is taken for granted
 * about time: locks expire whenever that hurts most, requests come late, twice or never, clients
 * die. SPIN follows every order of events within the bounds of bounds.pml.
 *
 * What is left out, and why nothing is lost by it:
 *
 * - Clients that wait, retry, decide or crash. From outside they are the requests that take effect.
 *   A crash, and a request that is lost, are runs in which the next step is never taken.
 * - Messages on their way. A request may take effect at any moment after its attempt began, and
 *   what it carries (a clock, a token to raise to) is chosen then, among all that could have been
 *   sent until then. So a late request is there, and each node may even be sent another token.
 * - Requests that change nothing: the lock is another's, or a tombstone answers. Same as lost.
 * - Replies. Each is heard at once, and never forgotten; see tokens.pml why that covers lost ones.
 * - Expiry as a step. It shows only to the next request that comes to the node, so it may as well
 *   happen just before that. No clock is asked: any lock may have expired at any moment.
 * - Metadata, several keys, ttl, the rank of nodes: the token does not depend on them.
 *
 * Whether two clients *hold* the lock at once is not asked here. That does depend on clocks, and
 * it is what tokens are for.
 */
#include "bounds.pml"
#include "probes.pml"
#include "state.pml"
#include "tokens.pml"
#include "properties.pml"
#include "restart.pml"
#include "node.pml"
#include "symmetry.pml"
#include "world.pml"
