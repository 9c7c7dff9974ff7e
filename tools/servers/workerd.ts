import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import getPort from 'get-port'
import type { Runtime } from './runtime.ts'

const binary = fileURLToPath(new URL('../../node_modules/workerd/bin/workerd', import.meta.url))

const configure = (
  port: number,
  tls: string,
): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private"], tlsOptions = (${tls}))),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "server.mjs")],
  bindings = [(name = "REDLOCK_NODES", text = embed "nodes.json")],
  compatibilityDate = "2026-11-01",
);
`

export type WorkerdOptions = {
  /** Of the servers that it reaches by HTTPS, as PEM. */
  readonly trustedCertificate?: string
  /** Default: any that is free. */
  readonly port?: number
}

/**
 * A Worker on workerd itself, without the proxy of `wrangler dev`, which hides the disconnect of a
 * client and costs time.
 */
export const workerd = (
  entry: string,
  { trustedCertificate, port: wanted }: WorkerdOptions = {},
): Runtime => ({
  name: 'workerd',
  entry,
  platform: 'browser',
  command: async (_, directory) => {
    const port = wanted ?? (await getPort({ host: '127.0.0.1' }))
    const config = join(directory, 'config.capnp')
    const isTrusting = trustedCertificate !== undefined
    if (isTrusting) await writeFile(join(directory, 'trusted.pem'), trustedCertificate)
    const tls = isTrusting ? 'trustedCertificates = [embed "trusted.pem"]' : ''
    await writeFile(config, configure(port, tls))
    return { run: [binary, 'serve', config], port }
  },
})
