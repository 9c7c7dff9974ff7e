import fc from 'fast-check'
import { garbage, large, weird } from './garbage.ts'
import type { Wire } from './judge.ts'

/** What a node is asked, what it should say, and what it said before to something else. */
export type Asked = {
  readonly words: readonly string[]
  readonly right: readonly unknown[]
  readonly earlier: readonly unknown[]
}

/** What a node says instead, with a name for reports. */
export type Answer = { readonly name: string; readonly make: (asked: Asked) => Wire }

const named = (name: string, make: Answer['make']): Answer => ({ name, make })
const ok = (body: Wire['body']): Wire => ({ status: 200, body })
const reply = (result: unknown): Wire => ok(JSON.stringify({ result }))
const rightText = ({ right }: Asked): string => JSON.stringify({ result: right })

const status = fc.integer({ min: 100, max: 599 })
const place = fc.nat({ max: 5 })
const fraction = fc.double({ min: 0, max: 1, noNaN: true })
const at = (text: { readonly length: number }, share: number): number =>
  Math.floor(share * (text.length - 1))

const lies: fc.Arbitrary<Answer>[] = [
  fc
    .tuple(
      fc.oneof(fc.constant(200), status),
      fc.oneof({ weight: 9, arbitrary: garbage }, { weight: 1, arbitrary: large }),
    )
    .map(([code, body]) => named(`${code} ${body.slice(0, 60)}`, () => ({ status: code, body }))),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => named(`bytes ${bytes.join()}`, () => ok(bytes))),
]

/** A right reply with one thing wrong in its list. */
const almost: fc.Arbitrary<Answer>[] = [
  fc
    .tuple(place, weird)
    .map(([index, value]) =>
      named(`[${index}] = ${JSON.stringify(value)}`, ({ right }) =>
        reply(right.with(index % right.length, value)),
      ),
    ),
  place.map((index) =>
    named(`without [${index}]`, ({ right }) => reply(right.toSpliced(index, 1))),
  ),
  fc
    .tuple(place, weird)
    .map(([index, value]) =>
      named(`${JSON.stringify(value)} before [${index}]`, ({ right }) =>
        reply(right.toSpliced(index, 0, value)),
      ),
    ),
  fc
    .tuple(place, place)
    .map(([one, other]) =>
      named(`[${one}] and [${other}] swapped`, ({ right }) =>
        reply(
          right.with(one % right.length, right.at(other)).with(other % right.length, right.at(one)),
        ),
      ),
    ),
  fc.constantFrom(
    named('in a list', ({ right }) => reply([right])),
    named('as an object', ({ right }) => reply(Object.assign({}, right))),
    named('as text', ({ right }) => reply(JSON.stringify(right))),
    named('of an earlier request', ({ earlier }) => reply(earlier)),
    named('of the release', ({ right: [echo, ...rest] }) =>
      reply([`r${String(echo).slice(1)}`, ...rest]),
    ),
    named('of another value', ({ right: [echo, ...rest] }) =>
      reply([String(echo).replace(/.$/, (last) => (last === '0' ? '1' : '0')), ...rest]),
    ),
    named('in capitals', ({ right: [echo, ...rest] }) =>
      reply([String(echo).toUpperCase(), ...rest]),
    ),
    named('with a blank', ({ right: [echo, ...rest] }) => reply([`${String(echo)} `, ...rest])),
  ),
]

/** A right list in an envelope that is wrong. */
const wrapped: fc.Arbitrary<Answer>[] = [
  status.map((code) =>
    named(`right, but ${code}`, (asked) => ({ status: code, body: rightText(asked) })),
  ),
  weird.map((error) =>
    named(`right, but error ${JSON.stringify(error)}`, ({ right }) =>
      ok(JSON.stringify({ result: right, error })),
    ),
  ),
  fc.constantFrom(
    named('of a pipeline', ({ right }) => ok(JSON.stringify([{ result: right }]))),
    named('as a text of JSON', (asked) => ok(JSON.stringify(rightText(asked)))),
    named('a bare list', ({ right }) => ok(JSON.stringify(right))),
    named('in capitals', ({ right }) => ok(JSON.stringify({ Result: right }))),
    named('below __proto__', (asked) => ok(`{"__proto__":${rightText(asked)}}`)),
    named('below constructor', (asked) => ok(`{"constructor":${rightText(asked)}}`)),
    named('first of two', (asked) => ok(rightText(asked).replace(/}$/, ',"result":null}'))),
    named('second of two', (asked) => ok(rightText(asked).replace('{', '{"result":null,'))),
    named('with an error as well', (asked) => ok(rightText(asked).replace('{', '{"error":"ERR",'))),
    named('before much space', (asked) => ok(rightText(asked) + ' '.repeat(70_000))),
    named('after much space', (asked) => ok(' '.repeat(70_000) + rightText(asked))),
    named('beside much else', (asked) =>
      ok(rightText(asked).replace('{', `{"more":"${'x'.repeat(70_000)}",`)),
    ),
    named('after a mark of order', (asked) => ok(`\ufeff${rightText(asked)}`)),
    named('in UTF-16', (asked) => ok(Buffer.from(rightText(asked), 'utf16le'))),
  ),
]

/** A right text with one thing wrong in it. */
const spoilt: fc.Arbitrary<Answer>[] = [
  fraction.map((share) =>
    named(`cut at ${share}`, (asked) => ok(rightText(asked).slice(0, at(rightText(asked), share)))),
  ),
  fc
    .tuple(fraction, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }))
    .map(([share, letter]) =>
      named(`${JSON.stringify(letter)} at ${share}`, (asked) => {
        const text = rightText(asked)
        const index = at(text, share)
        return ok(text.slice(0, index) + letter + text.slice(index + 1))
      }),
    ),
  fc.tuple(fraction, fc.constantFrom(0x00, 0x80, 0xc0, 0xff, 0xf0)).map(([share, byte]) =>
    named(`byte ${byte} at ${share}`, (asked) => {
      const bytes = new TextEncoder().encode(rightText(asked))
      bytes[at(bytes, share)] = byte
      return ok(bytes)
    }),
  ),
]

/** What a node may say, of which a part is right, so that the others are seen to be told from it. */
export const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 2, arbitrary: fc.constant(named('right', (asked) => ok(rightText(asked)))) },
  ...lies.map((arbitrary) => ({ weight: 2, arbitrary })),
  ...[...almost, ...wrapped, ...spoilt].map((arbitrary) => ({ weight: 1, arbitrary })),
)
