/** What a client sends: the words of the command, its name in lower case. */
export type About = { readonly words: readonly string[] }

/**
 * Stands between one client and one server, whatever the transport: `send` lets the command
 * through, and what the fault resolves or rejects with is what the client gets. That the client
 * gives up by a signal or a timeout is the transport's part, so a fault may simply never settle.
 */
export type Fault = (send: () => Promise<unknown>, about: About) => Promise<unknown>

export const sleep = (time: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, time))

/** For what may settle with the quorum, while the last node has yet to execute it. */
export const lastNode = (): Promise<void> => sleep(200)

/** What a client sees of a broken connection. Each transport puts it into its own words. */
const broken = (): Error => new Error('Connection is closed.')

/** The server never gets the command, and nothing ever comes back. */
export const hang: Fault = () => new Promise(() => {})

/** The server does as it is told, and the reply gets lost on the way. */
export const loseReply: Fault = async (send) => {
  await send()
  throw broken()
}

/** No connection. Takes a turn of the event loop, as the news of one does. */
export const refuse: Fault = async () => {
  await new Promise((resolve) => setImmediate(resolve))
  throw broken()
}

/** The command takes `time` ms to the server. */
export const slowRequest =
  (time: number): Fault =>
  async (send) => {
    await sleep(time)
    return send()
  }

/** The server executes at once, and the reply takes `time` ms. */
export const slowReply =
  (time: number): Fault =>
  async (send) => {
    const reply = await send()
    await sleep(time)
    return reply
  }

/** The fault for the first `count` commands, none for later ones. */
export const first = (count: number, fault: Fault): Fault => {
  let seen = 0
  return (send, about) => (seen++ < count ? fault(send, about) : send())
}

/** The fault for all commands but plain reads. */
export const onWrites =
  (fault: Fault): Fault =>
  (send, about) =>
    about.words[0] === 'get' ? send() : fault(send, about)

/** Commands are held back until `open()` is called, and then executed. */
export const gate = (): { fault: Fault; open: () => void } => {
  let open!: () => void
  const opened = new Promise<void>((resolve) => (open = resolve))
  return {
    open,
    fault: async (send) => {
      await opened
      return send()
    },
  }
}
