/**
 * Findings about the nodes of a `Redlock`, each with a fix.
 *
 * @module edge-redlock/doctor
 */
export { check, type Check, type NodeCheck } from './check.ts'
export { diagnose } from './diagnose.ts'
export type { Finding, FindingCode } from './finding.ts'
export type { ServerFacts, ServerInfo } from '../protocol/check-reply.ts'
