// What an option accepts, what it rejects, and how the message says so.

/** A wrong value whose message names another option, such as one inside it, or expects something else. */
type Inner = readonly [value: unknown, named: string, expected?: string]

export type Values = {
  /** The extremes that are accepted. */
  readonly good: readonly unknown[]
  /** Rejected by the name of the option, with `expected`. */
  readonly bad: readonly unknown[]
  readonly expected: string
  readonly inner?: readonly Inner[]
  /** Whether a number of a wrong size is a `RangeError`. */
  readonly isNumber?: true
  readonly isRequired?: true
}

const types = {
  null: null,
  text: 'text',
  number: 7,
  boolean: true,
  function: () => 7,
  object: {},
  array: [],
  bigint: 7n,
  symbol: Symbol('s'),
}

/** One value of each type but these. */
const others = (...fitting: (keyof typeof types)[]): unknown[] =>
  Object.entries(types)
    .filter(([type]) => !fitting.some((one) => one === type))
    .map(([, value]) => value)

const highest = 2 ** 47

const numeric = (min: number, max: number, expected: string, bad: readonly unknown[]): Values => ({
  good: [min, max],
  bad: [...others('number'), String(min), min - 1, Number.NaN, -Infinity, ...bad],
  expected: `${expected} from ${min} to ${max}`,
  isNumber: true,
})

export const integer = (min: number, max = highest, kind = 'an integer'): Values =>
  numeric(min, max, kind, [min + 0.5, max + 1, Infinity])

export const number = (min: number, max = Infinity, kind = 'a number'): Values =>
  numeric(min, max, kind, max < Infinity ? [max + 0.1, Infinity] : [])

export const time = (min: number, max?: number): Values =>
  integer(min, max, 'an integer of milliseconds')

export const delay = (): Values => number(0, Infinity, 'a number of milliseconds')

export const boolean = (): Values => ({
  good: [true, false],
  bad: [...others('boolean'), 'true', 0],
  expected: 'a boolean',
})

export const callback = (good: () => unknown = () => undefined): Values => ({
  good: [good],
  bad: others('function'),
  expected: 'a function',
})

export const choice = (...good: string[]): Values => ({
  good,
  bad: [...others(), good[0]!.toUpperCase(), `${good[0]},${good[1]}`, ''],
  expected: `'${good.join("' or '")}'`,
})

export const text = (min: number, max = 4_096): Values => ({
  good: ['x'.repeat(min), 'x'.repeat(max), '\0\r\n', '💥'],
  bad: [...others('text'), ...(min > 0 ? [''] : []), 'x'.repeat(max + 1), '\ud800', 'x\udc00'],
  expected: `${min} to ${max} well-formed characters`,
})

/** A value of a shape of its own. */
export const shape = (expected: string, good: unknown[], bad: unknown[]): Values => ({
  good,
  bad: [null, 7, ...bad],
  expected,
})

/** An option that the function knows, and that another one checks. */
export const unchecked = (...good: unknown[]): Values => ({ good, bad: [], expected: '' })

export const orFunction = (values: Values): Values => ({
  ...values,
  good: [...values.good, () => 'k'],
  bad: values.bad.filter((one) => typeof one !== 'function'),
})

export const required = (values: Values): Values => ({
  ...values,
  bad: [...values.bad, undefined],
  isRequired: true,
})
