import { registerHooks } from 'node:module'

// Preloaded by processes that import the package by its name: they get its sources.

const sources = new URL('../../src/', import.meta.url)

registerHooks({
  resolve: (specifier, context, next) => {
    const [name, entry] = /^edge-redlock(?:\/(.+))?$/.exec(specifier) ?? []
    if (!name) return next(specifier, context)
    return next(new URL(entry ? `entries/${entry}.ts` : 'index.ts', sources).href, context)
  },
})
