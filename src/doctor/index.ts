/**
 * Findings about the nodes of a `Redlock`, each with a fix.
 *
 * @module edge-redlock/doctor
 */
export { diagnose } from './diagnose.ts'
export type { Finding, FindingCode } from './finding.ts'
