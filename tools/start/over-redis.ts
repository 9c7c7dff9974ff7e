import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readAssets } from '../servers/assets/read-assets.ts'
import { describeEngine, startCluster } from '../servers/cluster.ts'
import { startRuntime } from '../servers/runtime.ts'
import { workerd } from '../servers/workerd.ts'
import { withPanel, withSources } from './panel/page.ts'
import { startPanel } from './panel/server.ts'
import { instructions } from './report.ts'
import type { Shown } from './shown.ts'

const example = fileURLToPath(new URL('../../examples/submit', import.meta.url))

/** Runs the Worker of examples/submit with Redis servers as nodes, and a panel to control them. */
export const overRedis =
  (count: number): Shown =>
  async (port, started, print) => {
    const cluster = await startCluster({ count })
    started.defer(cluster.close)
    print(describeEngine(cluster))
    const panel = await startPanel(cluster, port)
    started.defer(panel.close)
    const pages = withPanel(await readAssets(join(example, 'public')), panel.script)
    const assets = await withSources(pages, example)
    const entry = join(import.meta.dirname, 'worker.ts')
    const runtime = workerd(entry, { port, assets, flags: ['nodejs_als'] })
    const worker = await startRuntime(runtime, cluster.env)
    started.defer(worker.stop)
    print(`The Worker of examples/submit runs on workerd: ${worker.url}`)
    return { url: worker.url, engine: cluster.engine, instructions: instructions(worker.url) }
  }
