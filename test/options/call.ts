import { Redlock } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import type { Values } from './values.ts'

/** A function that takes options. */
export type Call = {
  /** What its messages call it. */
  readonly name: string
  /** The heading of its table in docs/reference/options.md. */
  readonly section?: string
  /** The page that describes its options, if that is another one. */
  readonly page?: string
  readonly act: (options: never) => unknown
  /** Its required options. */
  readonly base?: Readonly<Record<string, unknown>>
  readonly options: Readonly<Record<string, Values>>
  /** What precedes the name of an option in a message. */
  readonly path?: string
  /** The message about options that are no object. Default: `` `options` must be an object ``. */
  readonly whole?: string
}

export const nodes = memoryNodes(3)
export const redlock = new Redlock({ nodes })

/** A key that nothing holds. */
export const freshKey = (): string => crypto.randomUUID()

export const send = async (): Promise<null> => null
