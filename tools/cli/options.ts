import { Option } from 'commander'
import { wholeNumber } from './whole-number.ts'

/** An option without a value. */
export const flagOption = (flags: string, description: string): Option =>
  new Option(flags, description)

/** An option that selects items by a part of their names. */
export const onlyOption = (things: string): Option =>
  new Option('--only <text>', `only ${things} whose name contains this`)

/** An option whose value is a whole number from 1 to `max`. */
export const countOption = (
  flags: string,
  description: string,
  max: number,
  defaultValue?: number,
): Option => new Option(flags, description).argParser(wholeNumber(max)).default(defaultValue)

/** The largest valid seed. */
export const maxSeed = 2 ** 31

/** Draws a seed that almost certainly no earlier run has used. */
export const freshSeed = (): number => 1 + Math.floor(Math.random() * (maxSeed - 1))

/** The seed of the first of several runs; the others count up from it. */
export const seedOption = (
  description = 'the seed of the first run; the others count up from it',
): Option => countOption('--seed <number>', description, maxSeed, 1)
