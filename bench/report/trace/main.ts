import { writeFile } from 'node:fs/promises'
import { svgOfTrace } from './draw.ts'
import { recordTrace } from './record.ts'

// Draws the trace of two requests that want one lock while a node hangs: docs/images/trace.svg.

const spans = await recordTrace()
await writeFile(new URL('../../../docs/images/trace.svg', import.meta.url), svgOfTrace(spans))
console.log(`Wrote docs/images/trace.svg: ${spans.length} spans.`)
