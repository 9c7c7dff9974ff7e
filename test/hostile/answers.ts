import fc from 'fast-check'
import { garbage, large, weird } from './garbage.ts'
import type { Wire } from './judge.ts'

/** A command to a node, the valid reply to it, and the reply to an earlier command. */
type Asked = {
  readonly words: readonly string[]
  readonly valid: readonly unknown[]
  readonly earlier: readonly unknown[]
}

/** The answer of a hostile node, with a name for reports. */
export type Answer = { readonly name: string; readonly make: (asked: Asked) => Wire }

const named = (name: string, make: Answer['make']): Answer => ({ name, make })
const ok = (body: Wire['body']): Wire => ({ status: 200, body })
const reply = (result: unknown): Wire => ok(JSON.stringify({ result }))
const validText = ({ valid }: Asked): string => JSON.stringify({ result: valid })

const status = fc.integer({ min: 100, max: 599 })
const position = fc.nat({ max: 5 })
const fraction = fc.double({ min: 0, max: 1, noNaN: true })
const at = (text: { readonly length: number }, share: number): number =>
  Math.floor(share * (text.length - 1))

const arbitraryBodies: fc.Arbitrary<Answer>[] = [
  fc
    .tuple(
      fc.oneof(fc.constant(200), status),
      fc.oneof({ weight: 9, arbitrary: garbage }, { weight: 1, arbitrary: large }),
    )
    .map(([code, body]) => named(`${code} ${body.slice(0, 60)}`, () => ({ status: code, body }))),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => named(`bytes ${bytes.join()}`, () => ok(bytes))),
]

/** A valid reply with one mistake in its list. */
const almost: fc.Arbitrary<Answer>[] = [
  fc
    .tuple(position, weird)
    .map(([index, value]) =>
      named(`[${index}] = ${JSON.stringify(value)}`, ({ valid }) =>
        reply(valid.with(index % valid.length, value)),
      ),
    ),
  position.map((index) =>
    named(`without [${index}]`, ({ valid }) => reply(valid.toSpliced(index, 1))),
  ),
  fc
    .tuple(position, weird)
    .map(([index, value]) =>
      named(`${JSON.stringify(value)} before [${index}]`, ({ valid }) =>
        reply(valid.toSpliced(index, 0, value)),
      ),
    ),
  fc
    .tuple(position, position)
    .map(([one, other]) =>
      named(`[${one}] and [${other}] swapped`, ({ valid }) =>
        reply(
          valid.with(one % valid.length, valid.at(other)).with(other % valid.length, valid.at(one)),
        ),
      ),
    ),
  fc.constantFrom(
    named('in a list', ({ valid }) => reply([valid])),
    named('as an object', ({ valid }) => reply(Object.assign({}, valid))),
    named('as text', ({ valid }) => reply(JSON.stringify(valid))),
    named('of an earlier request', ({ earlier }) => reply(earlier)),
    named('of the release', ({ valid: [echo, ...rest] }) =>
      reply([`r${String(echo).slice(1)}`, ...rest]),
    ),
    named('of another value', ({ valid: [echo, ...rest] }) =>
      reply([String(echo).replace(/.$/, (last) => (last === '0' ? '1' : '0')), ...rest]),
    ),
    named('in capitals', ({ valid: [echo, ...rest] }) =>
      reply([String(echo).toUpperCase(), ...rest]),
    ),
    named('with a blank', ({ valid: [echo, ...rest] }) => reply([`${String(echo)} `, ...rest])),
  ),
]

/** A valid list in a malformed envelope. */
const wrapped: fc.Arbitrary<Answer>[] = [
  status.map((code) =>
    named(`valid, but ${code}`, (asked) => ({ status: code, body: validText(asked) })),
  ),
  weird.map((error) =>
    named(`valid, but error ${JSON.stringify(error)}`, ({ valid }) =>
      ok(JSON.stringify({ result: valid, error })),
    ),
  ),
  fc.constantFrom(
    named('of a pipeline', ({ valid }) => ok(JSON.stringify([{ result: valid }]))),
    named('as a text of JSON', (asked) => ok(JSON.stringify(validText(asked)))),
    named('a bare list', ({ valid }) => ok(JSON.stringify(valid))),
    named('in capitals', ({ valid }) => ok(JSON.stringify({ Result: valid }))),
    named('below __proto__', (asked) => ok(`{"__proto__":${validText(asked)}}`)),
    named('below constructor', (asked) => ok(`{"constructor":${validText(asked)}}`)),
    named('first of two', (asked) => ok(validText(asked).replace(/}$/, ',"result":null}'))),
    named('second of two', (asked) => ok(validText(asked).replace('{', '{"result":null,'))),
    named('with an error as well', (asked) => ok(validText(asked).replace('{', '{"error":"ERR",'))),
    named('before much space', (asked) => ok(validText(asked) + ' '.repeat(70_000))),
    named('after much space', (asked) => ok(' '.repeat(70_000) + validText(asked))),
    named('beside much else', (asked) =>
      ok(validText(asked).replace('{', `{"more":"${'x'.repeat(70_000)}",`)),
    ),
    named('after a byte order mark', (asked) => ok(`\ufeff${validText(asked)}`)),
    named('in UTF-16', (asked) => ok(Buffer.from(validText(asked), 'utf16le'))),
  ),
]

/** A valid text with one mistake in it. */
const corrupted: fc.Arbitrary<Answer>[] = [
  fraction.map((share) =>
    named(`cut at ${share}`, (asked) => ok(validText(asked).slice(0, at(validText(asked), share)))),
  ),
  fc
    .tuple(fraction, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
    .map(([share, letter]) =>
      named(`${JSON.stringify(letter)} at ${share}`, (asked) => {
        const text = validText(asked)
        const index = at(text, share)
        return ok(text.slice(0, index) + letter + text.slice(index + 1))
      }),
    ),
  fc.tuple(fraction, fc.constantFrom(0x00, 0x80, 0xc0, 0xff, 0xf0)).map(([share, byte]) =>
    named(`byte ${byte} at ${share}`, (asked) => {
      const bytes = new TextEncoder().encode(validText(asked))
      bytes[at(bytes, share)] = byte
      return ok(bytes)
    }),
  ),
]

/** The answers of a hostile node. Some are valid, which shows that the client tells them apart. */
export const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(named('valid', (asked) => ok(validText(asked)))) },
  ...arbitraryBodies.map((arbitrary) => ({ weight: 2, arbitrary })),
  ...[...almost, ...wrapped, ...corrupted].map((arbitrary) => ({ weight: 1, arbitrary })),
)
