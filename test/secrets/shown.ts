import { inspect } from 'node:util'

/** Says nothing where it is not possible, as JSON of what refers to itself. */
const attempt = (show: () => unknown): string => {
  try {
    return String(show())
  } catch (error) {
    return `${(error as Error).stack}`
  }
}

/**
 * All that a log may show of a value: as a text, as JSON, and as Node's `inspect` and `console` show
 * it, hidden properties included. A lock in JSON contains its secret, and says so: it is left out.
 */
export const shown = (value: unknown, hasJson: boolean = true): string =>
  [
    attempt(() => value),
    attempt(() => inspect(value, { depth: Infinity, showHidden: true, maxStringLength: Infinity })),
    hasJson ? attempt(() => JSON.stringify(value)) : '',
    value instanceof Error ? `${value.message}\n${value.stack}` : '',
  ].join('\n')
