import { registerHooks } from 'node:module'

// Preloaded by the process of each example: lets it import what exists only on workerd.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cloudflare:workers'
      ? { url: new URL('cloudflare-workers.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
})
