/**
 * Findings about the nodes of a `Redlock`, each with a fix.
 *
 * @module edge-redlock/doctor
 */
export { check, type Check } from '../operations/doctor/check.ts'
export { diagnose } from '../operations/doctor/diagnose.ts'
export { nodeStates, type NodeState } from '../operations/doctor/node-states.ts'
export type { Finding } from '../operations/doctor/finding.ts'
