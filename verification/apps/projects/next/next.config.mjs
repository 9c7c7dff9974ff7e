import { fileURLToPath } from 'node:url'

// A copy of this project is built two folders below the one with node_modules.
const root = fileURLToPath(new URL('../..', import.meta.url))

export default { turbopack: { root }, outputFileTracingRoot: root }
