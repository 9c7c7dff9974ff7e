import { type MemoryCaseName, memoryCases } from './cases.ts'

// Prints by how many bytes the heap has grown once a case is done and garbage is collected.
// node --expose-gc test/memory/process.ts 'windows with long keys'

const collect = globalThis.gc
if (!collect) throw new Error('Run it with --expose-gc')

const heap = async (): Promise<number> => {
  // The second collection frees what the first one finalises.
  for (let turn = 0; turn < 2; turn++) {
    await new Promise((resolve) => void setImmediate(resolve))
    collect()
  }
  return process.memoryUsage().heapUsed
}

const run = memoryCases[process.argv[2] as MemoryCaseName]
const before = await heap()
await run()
console.log((await heap()) - before)
// A request of a case may not have ended.
process.exit()
