import * as faults from '../../tools/faults.ts'

/** The words of a command, its name in lower case. */
type CommandWords = { readonly words: readonly string[] }

/**
 * Intercepts the commands between one client and one server, whatever the transport. The client gets the result of
 * the fault. A fault may never settle, because the signal or timeout of a client belongs to the transport.
 */
export type Fault = faults.Fault<CommandWords, unknown>

export { first, gate, sleep } from '../../tools/faults.ts'

/** Waits until the last node has also executed what a quorum has already confirmed. */
export const lastNode = (): Promise<void> => faults.sleep(200)

/** A broken connection. Each transport turns it into its own error. */
const connectionClosed = (): Error => new Error('Connection is closed.')

/** The server never receives the command, and no reply arrives. */
export const hang: Fault = () => new Promise(() => {})

/** The server executes the command, but the reply is lost. */
export const loseReply: Fault = async (_, send) => {
  await send()
  throw connectionClosed()
}

/** The connection is refused after a turn of the event loop, as on a real socket. */
export const refuse: Fault = async () => {
  await new Promise((resolve) => setImmediate(resolve))
  throw connectionClosed()
}

/** The server executes the command immediately, and the reply takes `time` ms. */
export const slowReply = (time: number): Fault => faults.delayReply(() => time)

/** The fault for all commands except plain reads. */
export const onWrites = (fault: Fault): Fault =>
  faults.when(({ words }) => words[0] !== 'get', fault)
