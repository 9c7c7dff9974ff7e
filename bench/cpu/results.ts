import { type Columns, figure } from '../shared/table.ts'
import { type Target, target } from '../shared/target.ts'
import { bare, type Match, own } from './libraries.ts'
import type { Measured } from './measure.ts'

/** The match with targets: without transport, it shows the work of the library. */
const match: Match = 'stub nodes, no HTTP'

const resultOf = (results: readonly Measured[], name: string): Measured =>
  results.find((one) => one.match === match && one.name === name)!

const microseconds = ({ perSecond }: Measured): number => 1_000_000 / perSecond.fresh

/** The cost of the same requests without a library, as a measure of the machine. */
export const bareMicroseconds = (results: readonly Measured[]): number =>
  microseconds(resultOf(results, bare))

/** Maxima for an acquire and release, each on another key, and for a lock that is held. */
export const targetsOf = (results: readonly Measured[]): Target[] => {
  const measured = resultOf(results, own)
  return [
    target('us of processor', microseconds(measured), 8.5),
    target('KB of garbage', measured.bytesPerCycle / 1024, 25),
    target('KB per lock held', (measured.bytesPerLock ?? NaN) / 1024, 2.2),
  ]
}

const kilobytes = (bytes: number | undefined): string =>
  bytes === undefined ? '' : (bytes / 1024).toFixed(1)

export const cpuColumns: Columns<Measured> = {
  match: ({ match }) => match,
  library: ({ name }) => name,
  'cycles/s': ({ perSecond }) => figure(perSecond.fresh, 0),
  'us each': (one) => figure(microseconds(one), 1),
  'of one key/s': ({ perSecond }) => figure(perSecond.same, 0),
  'KB per cycle': ({ bytesPerCycle }) => kilobytes(bytesPerCycle),
  'KB per held lock': ({ bytesPerLock }) => kilobytes(bytesPerLock),
}
