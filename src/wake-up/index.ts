/**
 * Waiting for a lock without asking again and again.
 *
 * @module
 */
export { withWakeUp } from './with-wake-up.ts'
