import { patchSources } from './patched-sources.ts'

// The entry point of a mutant's thread: the simulation, over sources one of which is patched while it is loaded.

patchSources()

export default (await import('../simulation/engine/batch.ts')).default
