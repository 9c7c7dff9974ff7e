import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRuntime } from '../servers/runtime.ts'
import { workerd } from '../servers/workerd.ts'
import { objectInstructions } from './report.ts'
import type { Shown } from './shown.ts'

const entry = fileURLToPath(new URL('../../examples/durable-objects/worker.ts', import.meta.url))

/** Runs the Worker of examples/durable-objects, whose nodes are its own Durable Objects. */
export const overObjects: Shown = async (port, started, print) => {
  const directory = await mkdtemp(join(tmpdir(), 'edge-redlock-objects-'))
  started.defer(() => rm(directory, { recursive: true, force: true }))
  const objects = { className: 'RedlockNode', directory }
  const worker = await startRuntime(workerd(entry, { port, objects }), { REDLOCK_NODES: '[]' })
  started.defer(worker.stop)
  print('The nodes are three Durable Objects: no Redis, and no secrets')
  print(`The Worker of examples/durable-objects runs on workerd: ${worker.url}`)
  const { url } = worker
  return { url, engine: 'durable-objects', instructions: objectInstructions(url) }
}
