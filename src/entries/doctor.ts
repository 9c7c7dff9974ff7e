/**
 * Checks the nodes of a `Redlock`, and suggests a fix for each problem.
 *
 * @module edge-redlock/doctor
 */
export { check, type Check } from '../operations/doctor/check.ts'
export { diagnose } from '../operations/doctor/diagnose.ts'
export { nodeStates, type NodeState } from '../operations/doctor/node-states.ts'
export type { Finding } from '../operations/doctor/finding.ts'
