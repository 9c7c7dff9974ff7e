/**
 * Findings about the nodes of a `Redlock`, each with a fix.
 *
 * @module edge-redlock/doctor
 */
export { check, type Check } from './check.ts'
export { diagnose } from './diagnose.ts'
export { nodeStates, type NodeState } from './node-states.ts'
export type { Finding } from './finding.ts'
