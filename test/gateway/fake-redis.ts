import type { Socket } from 'node:net'
import { serveSockets } from '../support/socket-server.ts'

/** A server that speaks the protocol of Redis, and answers what a test likes. */
export type FakeRedis = {
  readonly port: number
  /** The names of all commands, in capitals. */
  readonly received: readonly string[]
  readonly stop: () => Promise<unknown>
}

/** The reply to COMMAND INFO about a command that reads a key. */
export const commandInfoReply =
  '*1\r\n*7\r\n$3\r\nget\r\n:2\r\n*1\r\n+fast\r\n:1\r\n:1\r\n:1\r\n*1\r\n+@read\r\n'

/** @param answer - Returns the reply to a command, in the protocol; none where it has done otherwise. */
export const startFakeRedis = async (
  answer: (name: string, socket: Socket) => string | undefined,
): Promise<FakeRedis> => {
  const received: string[] = []
  const { port, stop } = await serveSockets((socket) =>
    socket.on('data', (data) => {
      for (const [, word] of String(data).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g)) {
        const name = word!.toUpperCase()
        received.push(name)
        const reply = answer(name, socket)
        if (reply !== undefined) socket.write(reply)
      }
    }),
  )
  return { port, received, stop }
}
