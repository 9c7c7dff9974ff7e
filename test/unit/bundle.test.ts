import { build } from 'esbuild'
import { expect, it } from 'vitest'

// What few applications need is in no bundle that does not use it.

/** The code of a bundle of what is imported. */
const bundled = async (code: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    bundle: true,
    external: ['cloudflare:workers'],
    format: 'esm',
    platform: 'neutral',
    write: false,
  })
  return outputFiles[0]!.text
}

const core = `export { fromEnv, Redlock, withSlots, withWakeUp } from '../../src/index.ts'`
const objects = `export { durableObjectNodes, RedlockNode } from '../../src/entries/durable-object.ts'`

it('a bundle without `quarantine` asks no server for its run', async () => {
  expect(await bundled(core)).not.toContain('run_id')
  expect(await bundled(objects)).not.toMatch(/match\('run_id|withoutRunId|quarantineEnd/)
})

it('a bundle with it does', async () => {
  const text = await bundled(`${core}; export { quarantine } from '../../src/index.ts'`)
  expect(text).toContain(`('server','replication')`)
  expect(text).toContain('run_id')
})
