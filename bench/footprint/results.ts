import { type Columns, figure } from '../shared/table.ts'
import type { Footprint } from './measure.ts'

const bytes = (count: number | undefined): string =>
  count === undefined ? '-' : figure(Math.max(0, Math.round(count)))

/** All but the last are in bytes. */
export const footprintColumns: Columns<Footprint> = {
  library: ({ contestant }) => contestant,
  'lock held': ({ held }) => bytes(held),
  'lock released': ({ released }) => bytes(released),
  'of that the fence': ({ fence }) => bytes(fence),
  'refused attempt': ({ refused }) => bytes(refused),
  throttle: ({ throttle, isEmulated }) => bytes(throttle) + (isEmulated ? ' *' : ''),
  'a million locks a day, MB': ({ steady }) => (steady / 1_000_000).toFixed(2),
}
