import { app, type Bindings } from './app.ts'

// A Worker's entry point is its default export.
export default { fetch: (request: Request, env: Bindings) => app(request, env) }
