import { fileURLToPath } from 'node:url'
import { writeScripts } from './generate.ts'

// `npm run generate`: writes the modules that contain the Lua scripts of src/. The modules are committed, and a test
// compares them with their sources.

const root = fileURLToPath(new URL('../..', import.meta.url))
for (const { file } of await writeScripts(root)) console.log(`Wrote ${file}`)
