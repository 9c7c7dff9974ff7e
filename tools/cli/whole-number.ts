import { InvalidArgumentError } from 'commander'

/** Makes a reader of a command line argument that must be a whole number from 1 to `most`. */
export const wholeNumber =
  (most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < 1 || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`)
    }
    return value
  }
