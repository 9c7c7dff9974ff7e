import { recordAll } from './record/record.ts'
import type { Recordings } from './recording.ts'

// VitePress runs `load` when it builds the site, and gives the page the result as `data`.

export declare const data: Recordings

export default { watch: ['./record/*.ts', '../../src/**/*.ts'], load: recordAll }
