import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Hono } from 'hono'
import type { Cluster } from '../../servers/cluster.ts'
import { serve } from '../../servers/serve.ts'
import { onlyFrom } from './guard.ts'
import { type Action, actionNames, panelNode } from './panel-node.ts'

const browserFile = (name: string): Promise<string> =>
  readFile(new URL(`browser/${name}`, import.meta.url), 'utf8')

/** The server of the panel. `script` is the URL of the script that displays the panel. */
export type Panel = { readonly script: string; readonly close: () => Promise<void> }

/**
 * Serves the panel on a free port of the loopback interface: its script, the state of the nodes, and actions to stop
 * and start them. Only the page of the Worker can use it.
 */
export const startPanel = async (cluster: Cluster, workerPort: number): Promise<Panel> => {
  const origins = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${workerPort}`)
  const nodes = cluster.nodes.map(panelNode)
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('browser/panel.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  const script = outputFiles[0]!.text
  const style = await browserFile('panel.css')
  const app = new Hono()
    .use(onlyFrom(origins))
    .get('/panel.js', (c) => c.body(script, 200, { 'content-type': 'text/javascript' }))
    .get('/panel.css', (c) => c.body(style, 200, { 'content-type': 'text/css' }))
    .get('/nodes', async (c) => c.json(await Promise.all(nodes.map(({ read }) => read()))))
    .post('/nodes/:number/:action', async (c) => {
      const { number, action } = c.req.param()
      const node = nodes[Number(number) - 1]
      if (!node || !actionNames.includes(action as Action)) return c.notFound()
      await node.act(action as Action)
      return c.body(null, 204)
    })
  const { port, close } = await serve(app.fetch)
  return { script: `http://127.0.0.1:${port}/panel.js`, close: () => close(0) }
}
