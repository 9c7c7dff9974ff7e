import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Tinypool } from 'tinypool'
import { applyPatch, type Patch, root } from '../../tools/patch-copy.ts'

/** Patches one of the sources while this thread loads it. The other files are the same for all mutants. */
export const patchSources = (): void => {
  const patch = Tinypool.workerData as Patch
  const target = pathToFileURL(`${root}${patch.file}`).href
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      const { source } = loaded
      if (url !== target || !source) return loaded
      const text = typeof source === 'string' ? source : new TextDecoder().decode(source)
      return { ...loaded, source: applyPatch(text, patch) }
    },
  })
}
