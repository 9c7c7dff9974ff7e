import { inspect } from 'node:util'

/** The text, or the error where there is none, as for the JSON of a circular object. */
const textOf = (show: () => unknown): string => {
  try {
    return String(show())
  } catch (error) {
    return `${(error as Error).stack}`
  }
}

/**
 * Every form in which a log may show a value: as a string, as JSON, and as the `inspect` and `console`
 * of Node show it, including hidden properties. The JSON of a lock contains its secret by design, so
 * it can be left out.
 */
export const shown = (value: unknown, hasJson: boolean = true): string =>
  [
    textOf(() => value),
    textOf(() => inspect(value, { depth: Infinity, showHidden: true, maxStringLength: Infinity })),
    hasJson ? textOf(() => JSON.stringify(value)) : '',
    value instanceof Error ? `${value.message}\n${value.stack}` : '',
  ].join('\n')
