import type { EventLoop } from './event-loop.ts'
import type { OnAbort } from './abort-listeners.ts'

/** A connection that carries one request at a time. */
export type Connection = {
  /** Releases the connection for another request, once the response has arrived. */
  readonly free: () => void
}

/** The connections of all processes to all servers, over HTTP/1.1 and TLS. */
export type Connections = {
  /**
   * Calls `send` immediately if the link has a free connection, or once a new connection is open. If a request is aborted
   * before its response, the connection is lost, even while it is being opened.
   */
  readonly open: (
    link: string,
    openingTime: number,
    signal: AbortSignal,
    send: (connection: Connection) => void,
  ) => void
}

export const makeConnections = ({ after }: EventLoop, onAbort: OnAbort): Connections => {
  // By link: the number of connections that are open and free.
  const idle = new Map<string, number>()
  return {
    open: (link, openingTime, signal, send) => {
      let isLost = false
      onAbort(signal, () => (isLost = true))
      const free = (): void => {
        if (!isLost) idle.set(link, (idle.get(link) ?? 0) + 1)
      }
      const count = idle.get(link) ?? 0
      if (count > 0) {
        idle.set(link, count - 1)
        send({ free })
      } else {
        after(openingTime, () => {
          if (!isLost) send({ free })
        })
      }
    },
  }
}
