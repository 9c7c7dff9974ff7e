import { parseArgs } from 'node:util'

/** The options of the command line. */
export type DoctorArguments = {
  readonly from: string | undefined
  readonly prefix: string | undefined
  readonly maxTtl: number | undefined
  readonly nodeTimeout: number | undefined
  readonly json: boolean
}

const milliseconds = (option: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) {
    throw new Error(`Expected --${option} to be a whole number of ms, got ${JSON.stringify(text)}`)
  }
  return Number(text)
}

/** @throws where an option is unknown or wrong. */
export const parseDoctorArguments = (args: readonly string[]): DoctorArguments => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      from: { type: 'string' },
      // Whoever types this is understood as well. Node reads the file too, and ends where it is missing.
      'env-file': { type: 'string' },
      prefix: { type: 'string' },
      'max-ttl': { type: 'string' },
      'node-timeout': { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  return {
    from: values.from ?? values['env-file'],
    prefix: values.prefix,
    maxTtl: milliseconds('max-ttl', values['max-ttl']),
    nodeTimeout: milliseconds('node-timeout', values['node-timeout']),
    json: values.json,
  }
}
