import { patchSources } from '../mutants/patched-sources.ts'

// The entry point of a mutant's thread: the search, over sources one of which is patched while it is loaded.

patchSources()

export default (await import('./batch.ts')).default
