import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import type { Assets } from './assets/read-assets.ts'
import type { Runtime } from './runtime.ts'

const binary = fileURLToPath(new URL('../../node_modules/workerd/bin/workerd', import.meta.url))
const assetWorker = new URL('assets/worker.ts', import.meta.url)

export type WorkerdOptions = {
  /** The certificates of the servers that the Worker contacts over HTTPS, as PEM. */
  readonly trustedCertificate?: string
  /** The port. Default: any free port. */
  readonly port?: number
  /** Compatibility flags of the Worker. */
  readonly flags?: readonly string[]
  /** Files that are served along with the Worker. */
  readonly assets?: Assets
  /** A Durable Object class that the Worker exports, and uses through the binding `REDLOCK`. */
  readonly objects?: ObjectClass
}

/** A Durable Object class, and the directory for its storage. */
type ObjectClass = { readonly className: string; readonly directory: string }

const objectSettings = ({ className }: ObjectClass): string => `
  durableObjectNamespaces = [(className = "${className}", uniqueKey = "redlock", enableSql = true)],
  durableObjectStorage = (localDisk = "objects"),`

const configure = (
  port: number,
  tls: string,
  hasAssets: boolean,
  flags: readonly string[],
  objects: ObjectClass | undefined,
): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    ${hasAssets ? '(name = "assets", worker = .assets),' : ''}
    ${objects ? `(name = "objects", disk = (path = ${JSON.stringify(objects.directory)}, writable = true)),` : ''}
    (name = "internet", network = (allow = ["private"], tlsOptions = (${tls}))),
  ],
  sockets = [(
    name = "http",
    address = "127.0.0.1:${port}",
    http = (),
    service = "${hasAssets ? 'assets' : 'main'}",
  )],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "server.mjs")],
  bindings = [
    (name = "REDLOCK_NODES", text = embed "nodes.json"),
    ${objects ? `(name = "REDLOCK", durableObjectNamespace = "${objects.className}"),` : ''}
  ],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ${JSON.stringify(flags)},${objects ? objectSettings(objects) : ''}
);
${
  hasAssets
    ? `const assets :Workerd.Worker = (
  modules = [(name = "assets", esModule = embed "assets.mjs")],
  bindings = [(name = "ASSETS", json = embed "assets.json"), (name = "WORKER", service = "main")],
  compatibilityDate = "2026-11-01",
);
`
    : ''
}`

/**
 * Runs a Worker directly on workerd. The proxy of `wrangler dev` would hide disconnects, and add latency.
 */
export const workerd = (
  entry: string,
  { trustedCertificate, port: wanted, assets, objects, flags = [] }: WorkerdOptions = {},
): Runtime => ({
  name: 'workerd',
  entry,
  platform: 'browser',
  command: async (_, directory) => {
    const config = join(directory, 'config.capnp')
    const isTrusting = trustedCertificate !== undefined
    if (isTrusting) await writeFile(join(directory, 'trusted.pem'), trustedCertificate)
    const tls = isTrusting ? 'trustedCertificates = [embed "trusted.pem"]' : ''
    if (assets) {
      const { code } = await transform(await readFile(assetWorker, 'utf8'), { loader: 'ts' })
      await writeFile(join(directory, 'assets.mjs'), code)
      await writeFile(join(directory, 'assets.json'), JSON.stringify(assets))
    }
    // With port 0, workerd selects a free port and prints it. A port that was free a moment ago may be taken by now.
    await writeFile(config, configure(wanted ?? 0, tls, assets !== undefined, flags, objects))
    return { run: [binary, 'serve', '--control-fd=1', config], port: wanted }
  },
})
