import * as faults from '../../tools/faults.ts'

/** The words of a command, its name in lower case. */
type CommandWords = { readonly words: readonly string[] }

/**
 * Stands between one client and one server, whatever the transport; the client gets what the fault
 * resolves or rejects with. A fault may never settle, since the signal or timeout by which a client
 * gives up belongs to the transport.
 */
export type Fault = faults.Fault<CommandWords, unknown>

export { first, gate, sleep } from '../../tools/faults.ts'

/** Waits until the last node, too, has executed what a quorum has confirmed already. */
export const lastNode = (): Promise<void> => faults.sleep(200)

/** A broken connection. Each transport turns it into its own error. */
const connectionClosed = (): Error => new Error('Connection is closed.')

/** The server never gets the command, and no reply ever comes. */
export const hang: Fault = () => new Promise(() => {})

/** The server executes the command, and the reply gets lost. */
export const loseReply: Fault = async (_, send) => {
  await send()
  throw connectionClosed()
}

/** The connection is refused, after a turn of the event loop as on a real socket. */
export const refuse: Fault = async () => {
  await new Promise((resolve) => setImmediate(resolve))
  throw connectionClosed()
}

/** The server executes the command at once, and the reply takes `time` ms. */
export const slowReply = (time: number): Fault => faults.delayReply(() => time)

/** The fault for all commands but plain reads. */
export const onWrites = (fault: Fault): Fault =>
  faults.when(({ words }) => words[0] !== 'get', fault)
