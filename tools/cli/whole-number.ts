import { InvalidArgumentError } from 'commander'

/** Creates a parser for a command-line argument that must be a whole number from 1 to `max`. */
export const wholeNumber =
  (max: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < 1 || value > max) {
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`)
    }
    return value
  }
