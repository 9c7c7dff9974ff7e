import { connect } from 'node:net'
import { pipeline } from 'node:stream'
import { createServer, type SecureContextOptions } from 'node:tls'
import { listening } from '../../tools/cli/listening.ts'
import { randomFrom } from '../../tools/random.ts'
import { makeLink } from '../../verification/chaos/nodes/link.ts'

/** A server behind a long distance. */
export type DistantServer = { readonly port: number; readonly close: () => Promise<void> }

/**
 * Puts TLS and a distance in front of a port of this machine. Opening a connection takes three round
 * trips: one for TCP, and two for TLS 1.2, which many servers still use.
 *
 * @param roundTrip - The round trip in ms.
 */
export const distantServer = async (
  port: number,
  roundTrip: number,
  identity: SecureContextOptions,
): Promise<DistantServer> => {
  const secure = createServer({ ...identity, maxVersion: 'TLSv1.2' }, (client) => {
    const node = connect({ port, host: '127.0.0.1', noDelay: true })
    pipeline(client, node, client, () => node.destroy())
  })
  const far = makeLink(await listening(secure), randomFrom(1), roundTrip / 2, roundTrip)
  return {
    port: await listening(far.server),
    close: async () => {
      const closed = new Promise((resolve) => secure.close(resolve))
      await far.close()
      await closed
    },
  }
}
