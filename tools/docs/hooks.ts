import { registerHooks } from 'node:module'

// Preloaded into the process of each example, so that examples can import modules that exist only on workerd.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cloudflare:workers'
      ? { url: new URL('cloudflare-workers.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
})
