import { Option } from 'commander'
import { wholeNumber } from '../../tools/cli/whole-number.ts'

const parseSizes = (text: string): number[] => text.split(',').filter(Boolean).map(wholeNumber(200))

/** An option whose value is a list of client counts, such as 2,50. */
export const sizesOption = (flags: string, description: string, sizes: number[]): Option =>
  new Option(flags, description).argParser(parseSizes).default(sizes)

/** How many clients ask simultaneously. */
export const burstSizes = [2, 3, 5, 10, 50]
