/*
 * The fencing protocol of the lock, as a model that SPIN searches exhaustively. `npm run verify -- model`.
 *
 * Clients try to hold one key on a majority of nodes, and each that does gets a number, its token.
 * Can two clients get the same token, or can a later one get a lower token? The model assumes nothing
 * about time: locks may expire at any moment, requests may arrive late, twice or never, and clients
 * may crash. SPIN tries every order of events within the bounds of bounds.pml.
 *
 * What the model leaves out, and why the result does not depend on it:
 *
 * - Clients that wait, retry, decide or crash. Nodes only see the requests that take effect. A crash
 *   or a lost request is a run in which the next step is never taken.
 * - Messages under way. A request may take effect at any moment after its attempt began, and its
 *   content (a time, a token to raise to) is chosen then, among all that could have been sent before.
 *   So late requests are included, and so is a different token for each node.
 * - Requests that change nothing, since another attempt holds the lock, or because of a tombstone.
 *   They are the same as lost requests.
 * - Replies. Each arrives at once and is never forgotten; tokens.pml explains why that covers lost
 *   replies.
 * - Expiry of a lock as a step. Only the next request to the node can tell, so it happens right before that.
 *   There is no clock: any lock may have expired at any moment.
 * - Metadata, several keys, ttl and the rank of nodes, which do not affect tokens.
 *
 * Whether two clients *hold* the lock at once is not checked here. That does depend on clocks, which
 * is why there are tokens.
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
