/*
 * The fencing protocol of the lock, as a model that SPIN checks exhaustively.
 *
 * The question: several clients try to hold one key on a majority of nodes, and each winner gets a
 * number, its token. Can two winners ever get the same token, or a later one a smaller token?
 * Nothing is taken for granted about time: locks expire whenever that hurts most, requests come
 * late, twice or never, clients die. SPIN follows every order of events that the bounds allow.
 *
 *   bounds.pml      how large the world is, and the switches that break the protocol
 *   state.pml       what nodes and clients remember
 *   tokens.pml      which tokens a client may believe to hold
 *   node.pml        what a node does with a request: the Lua script
 *   properties.pml  what must be true after every step
 *   symmetry.pml    nodes are interchangeable: one state stands for all their orders
 *   world.pml       every step that can happen next
 *
 * `npm run model` runs it.
 */
#include "bounds.pml"
#include "state.pml"
#include "tokens.pml"
#include "properties.pml"
#include "restart.pml"
#include "node.pml"
#include "symmetry.pml"
#include "world.pml"
