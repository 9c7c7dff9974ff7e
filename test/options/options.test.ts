import fc from 'fast-check'
import { glob, readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { Secrets } from '../secrets/known.ts'
import { shown } from '../secrets/shown.ts'
import { eventually } from '../support/eventually.ts'
import { type Call, nodes } from './call.ts'
import { clientCalls } from './client-calls.ts'
import { requestCalls } from './request-calls.ts'
import { serverCalls } from './server-calls.ts'

// Every option of every function: what it accepts and rejects, by its table; and that the tables have the
// options that the functions themselves name, and that the pages describe.

const calls: readonly Call[] = [...clientCalls, ...requestCalls, ...serverCalls]
const page = await readFile('docs/reference/options.md', 'utf8')

/** The error of a call; undefined if it accepts the options. */
const errorOf = async ({ act }: Call, options: unknown): Promise<Error | undefined> => {
  try {
    await act(options as never)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(Error)
    return error as Error
  }
}

const given = ({ base }: Call, option: string, value: unknown): object => ({
  ...base,
  [option]: value,
})

/** Compares the beginning of a message, in front of the value that it got. */
const expectMessage = (error: Error | undefined, option: string, expected: string): void => {
  const wanted = `\`${option}\` must be ${expected}`
  const message = (error?.message ?? 'It was accepted').replace('` of gateway()', '`')
  expect(message.slice(0, wanted.length)).toBe(wanted)
}

/** The options of a call in its own words. */
const optionsOf = async (call: Call): Promise<string[]> => {
  const error = await errorOf(call, { ...call.base, nonsense: 1 })
  expect(error).toMatchObject({ name: 'TypeError' })
  const [, list = ''] = error!.message.split(`Unknown option \`nonsense\` of ${call.name}: `)
  return list.replace('it has ', '').replace(' (ERL01)', '').split(', ').sort()
}

/** The options in the table of a section of docs/reference/options.md. */
const described = (heading: string): string[] => {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))!
  const cells = [...section.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)]
  return cells.flatMap(([, names]) => names!.match(/\w+/g)!).sort()
}

const heldKeys = (): string[] => nodes.flatMap(({ entries }) => [...entries.keys()])
beforeEach(() => {
  for (const { entries } of nodes) entries.clear()
})

// Shorter than what counts as a part of a secret: a token that is a word, such as `prototype`, is shown by chance.
const shortText = fc.string({ maxLength: 7 })
const plain = {
  key: shortText,
  values: [shortText, fc.boolean(), fc.integer(), fc.double(), fc.constantFrom(null, undefined)],
}

describe.each(calls.map((call) => [call.name, call] as const))('%s', (_, call) => {
  const options = Object.entries(call.options)
  const path = call.path ?? ''

  it('has the options of this table', async () => {
    expect(await optionsOf(call)).toEqual(Object.keys(call.options).sort())
  })

  it('rejects options that are no object', async () => {
    const whole = call.whole ?? `\`options\` must be an object in ${call.name}; got `
    for (const wrong of [5, 'text', null, true]) {
      const error = await errorOf(call, wrong)
      expect(error?.name).toBe('TypeError')
      expect(error?.message).toContain(whole)
    }
  })

  it('rejects unknown options by their name, and names the known ones', async () => {
    for (const name of ['constructor', ...options.map(([option]) => option.toUpperCase())]) {
      const error = await errorOf(call, given(call, name, 1))
      expect(error?.name).toBe('TypeError')
      expect(error?.message).toContain(`Unknown option \`${name}\` of ${call.name}: `)
    }
    expect(heldKeys()).toEqual([])
  })

  it.each(options)('accepts the extremes of %s', async (option, { good, isRequired }) => {
    for (const value of isRequired ? good : [...good, undefined]) {
      expect(await errorOf(call, given(call, option, value))).toBeUndefined()
    }
  })

  it.each(options)('rejects a wrong %s', async (option, values) => {
    const { bad, expected, inner = [], isNumber } = values
    for (const value of bad) {
      const error = await errorOf(call, given(call, option, value))
      expectMessage(error, path + option, expected)
      expect(error?.name).toBe(isNumber && typeof value === 'number' ? 'RangeError' : 'TypeError')
    }
    for (const [value, named, other = ''] of inner) {
      const error = await errorOf(call, given(call, option, value))
      expectMessage(error, named, other)
      expect(['TypeError', 'RangeError']).toContain(error?.name)
    }
    expect(heldKeys()).toEqual([])
  })

  const checked = options.filter(([, { bad }]) => bad.length > 0)

  it.runIf(checked.length > 0)(
    'takes any value, or says what is wrong with which option',
    async () => {
      const anything = fc.oneof(
        fc.anything({ ...plain, withBigInt: true, withDate: true, withNullPrototype: true }),
        fc.constantFrom(
          Number.NaN,
          Infinity,
          -Infinity,
          -1,
          0,
          -0,
          0.5,
          1e21,
          2 ** 53,
          Symbol('s'),
        ),
      )
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...checked),
          anything,
          async ([option, { inner }], value) => {
            const error = await errorOf(call, given(call, option, value))
            if (!error) return
            expect(error.message).toMatch(/^(Expected |Unknown option )?`.* \(ERL01\)$/s)
            const names = [option, ...(inner ?? []).map(([, named]) => named)]
            expect(names.some((name) => error.message.includes(name)) ? '' : error.message).toBe('')
          },
        ),
        { numRuns: 100 },
      )
      await eventually(() => expect(heldKeys().filter((key) => key.includes('l:'))).toEqual([]))
    },
  )

  it.each(checked)('shows nothing of a secret in the place of %s', async (option) => {
    const secrets = new Secrets()
    // In upper case, as no identifier of the library is.
    const secret = crypto.randomUUID().toUpperCase()
    secrets.keep(secret)
    for (const misplaced of [secret, `${secret} \n`, [secret], { [option]: secret }]) {
      const error = await errorOf(call, given(call, option, misplaced))
      expect(error && secrets.find(shown(error))).toBeUndefined()
    }
  })
})

it.each(
  calls.filter(({ options }) => options['statuses']).map((call) => [call.name, call] as const),
)('%s rejects a status for a reason that it never gives', async (_, call) => {
  const error = await errorOf(call, given(call, 'statuses', { gone: 410 }))
  expect(error?.message).toMatch(/^Unknown option `gone` of statuses: /)
})

it('the tables have every function that names its options', async () => {
  const named: string[] = []
  for await (const file of glob('src/**/*.ts')) {
    const source = await readFile(file, 'utf8')
    named.push(...Array.from(source.matchAll(/checkOptions\('(\w+\(\))'/g), ([, name]) => name!))
  }
  expect(named.length).toBeGreaterThan(20)
  const tables = new Set(calls.map(({ name }) => name))
  expect(named.filter((name) => !tables.has(name))).toEqual([])
})

describe('docs/reference/options.md', () => {
  it.each([...new Set(calls.map(({ section }) => section!).filter(Boolean))])(
    'describes the options of %s',
    async (section) => {
      const own = calls.filter((call) => call.section === section)
      const names = (await Promise.all(own.map(optionsOf))).flat()
      expect(described(section)).toEqual([...new Set(names)].sort())
    },
  )
})

it.each(calls.flatMap((call) => (call.page ? [[call.page, call.name, call] as const] : [])))(
  '%s describes the options of %s',
  async (path, _, call) => {
    const text = await readFile(path, 'utf8')
    const missing = (await optionsOf(call)).filter((name) => !text.includes(`\`${name}\``))
    expect(missing).toEqual([])
  },
)
