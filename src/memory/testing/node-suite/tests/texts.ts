import type { Command } from '../../../../protocol/command.ts'
import type { Bench } from '../bench.ts'
import { acceptOf, acquireOf, inspectOf, longTtl } from '../commands.ts'
import type { Feature } from '../features.ts'
import { type Scenario, termsOf } from './scenarios.ts'

// A node must store keys and values exactly. Many databases compare text by a collation, and some truncate text that is
// too long for a column.

/** Metadata of nearly the maximum length. Most of its characters take several bytes. */
const metadata = `worker é ${'😀'.repeat(2_000)} end`
const recordLength = 10_000

/** Pairs of different keys that databases often treat as equal. */
const pairs: readonly (readonly [one: string, other: string])[] = [
  ['case: report', 'case: Report'],
  ['blank at the end', 'blank at the end '],
  ['accent: resume', 'accent: resumé'],
  ['accent in one or two characters: é', 'accent in one or two characters: e\u0301'],
  ['emoji: 😀', 'emoji: 😁'],
  ['wide: a', 'wide: ａ'],
  [`long: ${'k'.repeat(300)}a`, `long: ${'k'.repeat(300)}b`],
]

/** A long record replaces its claim, and other clients must be able to read the whole record. */
const longRecord = (bench: Bench): readonly Command[] => {
  const { about } = bench
  const terms = { ttl: longTtl, minCounter: bench.now() }
  const [ada, bob] = [about(['record'], 'ada'), about(['record'], 'bob')]
  const short = acceptOf(ada, terms.minCounter)
  const record = { ...short, record: `${short.record} é${'x'.repeat(recordLength)}😀` }
  return [{ op: 'prepare', ...ada, ...terms }, record, record, { op: 'prepare', ...bob, ...terms }]
}

/** Each key must have a separate holder, and each value must be stored in full. */
export const textsFor =
  (features: readonly Feature[]): Scenario =>
  (bench) => {
    const { about } = bench
    const terms = termsOf(bench)
    const ada = about(['metadata'], 'ada', { metadata })
    return [
      ...pairs.flatMap(([one, other]) => [
        acquireOf(about([one], 'ada'), terms),
        acquireOf(about([other], 'bob'), terms),
        inspectOf(about([one], 'ada')),
      ]),
      acquireOf(ada, terms),
      inspectOf(about(['metadata'], 'bob')),
      acquireOf(ada, terms),
      ...(features.includes('records') ? longRecord(bench) : []),
    ]
  }

const tenNames = 'abcdefghij'.split('')

/** A command on ten keys must read, write or delete all of them. */
export const tenKeys: Scenario = (bench) => {
  const { about } = bench
  const terms = termsOf(bench)
  const high = { ...terms, minCounter: terms.minCounter + 3_000 }
  const [ada, bob] = [about(tenNames, 'ada'), about(tenNames, 'bob')]
  const inspectEach = tenNames.map((name) => inspectOf(about([name], 'cyd')))
  const last = about(['j'], 'dan')
  return [
    acquireOf(ada, terms),
    ...inspectEach,
    { op: 'extend', ...ada, ...terms, ttl: 2 * longTtl },
    ...inspectEach,
    { op: 'release', ...ada, tombstoneTtl: longTtl },
    ...inspectEach,
    acquireOf(last, high),
    acquireOf(bob, terms),
    { op: 'release', ...last, tombstoneTtl: longTtl },
    acquireOf(bob, terms),
    ...inspectEach,
  ]
}
