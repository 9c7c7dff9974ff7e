/**
 * Locks with several holders, and throttles that let several calls pass.
 *
 * @module
 */
export { withSlots } from './with-slots.ts'
