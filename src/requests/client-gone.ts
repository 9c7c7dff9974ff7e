import { markLost } from '../core/lock/lock-state.ts'
import type { Lock } from '../core/lock/lock.ts'

/** The client closed the connection before the handler responded. */
export class ClientGoneError extends Error {
  override readonly name: string = 'ClientGoneError'
  /** Whether the handler may still be running. */
  readonly mayGoOn: boolean

  constructor(mayGoOn: boolean = false) {
    super('the client disconnected')
    this.mayGoOn = mayGoOn
  }
}

/** Marks a lock as lost if it is about to be released while its handler may still be running. */
export const loseIfGoesOn = (lock: Lock, error: unknown): void => {
  if (error instanceof ClientGoneError && error.mayGoOn) markLost(lock.state(), error.message)
}
