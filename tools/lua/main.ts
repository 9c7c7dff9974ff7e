import { fileURLToPath } from 'node:url'
import { writeScripts } from './generate.ts'

// `npm run generate`: writes the modules that ship the Lua scripts of src/. They are committed, and
// a test compares them with their source.

const root = fileURLToPath(new URL('../..', import.meta.url))
for (const { file } of await writeScripts(root)) console.log(`Wrote ${file}`)
