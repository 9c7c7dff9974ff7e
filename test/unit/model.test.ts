import { describe, expect, it } from 'vitest'
import { checksOf } from '../../verification/model/checks.ts'
import { readSearch, whyNotExhaustive } from '../../verification/model/pan.ts'
import { codeOf } from '../../verification/model/searched.ts'
import { defines } from '../../verification/model/spin.ts'
import { figure } from '../../verification/model/table.ts'
import { lengthOf, readTrace } from '../../verification/model/trace.ts'
import { judge } from '../../verification/model/verdict.ts'

const report = ({ errors = 0, kind = 'Full statespace', states = '  3584561' } = {}): string => `
(Spin Version 6.5.2 -- 6 December 2019)

${kind} search for:
	never claim         	- (none specified)
	assertion violations	+
	cycle checks       	- (disabled by -DSAFETY)
	invalid end states	- (disabled by -E flag)

State-vector 124 byte, depth reached 88, errors: ${errors}
${states} states, stored
1.728186e+08 states, matched
1.7640321e+08 transitions (= stored+matched)
`
const violated = (name: string): string => `pan:1: assertion violated ${name} (at depth 62)
pan: wrote fencing.pml.trail
${report({ errors: 1 })}`

const [holds, broken, reachable] = (['holds', 'broken', 'reachable'] as const).map((expected) =>
  checksOf('ci').find((check) => check.expected === expected)!,
)
const judged = (check: typeof holds, output: string) =>
  judge(check!, { output, trace: [], seconds: 1 })

describe('the report of the verifier', () => {
  it('states how much was searched', () => {
    expect(readSearch(report())).toEqual({ states: 3584561, transitions: 176403210, depth: 88 })
  })

  it('states the violated property: that of the last counterexample, which is the shortest', () => {
    const output = violated('unique').replace(
      /^/,
      'pan:1: assertion violated ordered (at depth 70)\n',
    )
    expect(readSearch(output)).toMatchObject({ violated: 'unique' })
  })

  it.each([
    ['an assertion about the model itself', violated('inBounds')],
    ['an error that is no assertion', report({ errors: 1 })],
    ['nothing', ''],
    ['the end of a crash', 'Segmentation fault'],
  ])('is rejected when it is %s', (_, output) => {
    expect(() => readSearch(output)).toThrow(/./)
  })
})

describe('a search for a proof', () => {
  it('is a proof if all states were visited and distinguished', () => {
    expect(whyNotExhaustive(report())).toBeUndefined()
    expect(judged(holds, report())).toMatchObject({ isMet: true, states: 3584561 })
  })

  it.each([
    ['too deep', `error: max search depth too small\n${report()}`],
    ['out of memory', `pan: reached -DMEMLIM bound\n\t1.5e+08 bytes used\n${report()}`],
    ['stopped', report().replace('\n\nFull', '\nWarning: Search not completed\n\nFull')],
    ['of single bits', report({ kind: 'Bit statespace' })],
    ['of hashes', report({ kind: 'Hash-Compact 4' })],
    [
      'without assertions',
      report().replace('violations\t+', 'violations\t- (disabled by -A flag)'),
    ],
  ])('is no proof if it was %s', (_, output) => {
    expect(whyNotExhaustive(output)).toEqual(expect.any(String))
    expect(judged(holds, output)).toMatchObject({ isMet: false })
    expect(judged(holds, output).result).toContain('NOT EXHAUSTED')
  })

  it('fails when a property is violated', () => {
    expect(judged(holds, violated('unique'))).toMatchObject({ isMet: false, result: 'not unique' })
  })
})

describe('a search for a counterexample', () => {
  it('must find a violated property', () => {
    expect(judged(broken, violated('ordered'))).toMatchObject({ isMet: true })
    expect(judged(broken, report())).toMatchObject({ isMet: false, result: 'NOT FOUND' })
    expect(judged(broken, violated('unreached'))).toMatchObject({ isMet: false })
  })

  it('of a reachability probe must reach it without violating a property', () => {
    expect(judged(reachable, violated('unreached'))).toMatchObject({ isMet: true })
    expect(judged(reachable, report())).toMatchObject({ isMet: false, result: 'NOT REACHED' })
    expect(judged(reachable, violated('unique'))).toMatchObject({ isMet: false })
  })
})

it('a trace has the messages of a replay, and its length counts its events', () => {
  const trace = readTrace(`
      | node 1 begins with F=0
                          | node 1 grants A the lock: F=1
spin: fencing.pml:59, Error: assertion violated
                    | the lock of A on node 1 expires
              | node 1 grants B the lock: F=1
              | B confirms a token that is not above all confirmed before
              | A and B confirm the same token
#processes: 7`)
  expect(trace).toHaveLength(6)
  expect(trace[1]).toBe('node 1 grants A the lock: F=1')
  expect(lengthOf(trace)).toBe(3)
})

it('settings become definitions, and the figure counts the checks that are met', () => {
  expect(defines({ NODES: 4, MAX_WITHOUT_RAISE: true })).toEqual([
    '-DNODES=4',
    '-DMAX_WITHOUT_RAISE',
  ])
  const verdicts = [judged(holds, report()), judged(broken, report())]
  expect(figure(verdicts)).toBe(
    'Model: tokens and records hold in 1 of 1 worlds (3,584,561 states); ' +
      '0 of 1 broken variants found.',
  )
})

it('checks have unique ids, and the long list contains the short one', () => {
  const ids = checksOf('long').map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(checksOf('long')).toEqual(expect.arrayContaining([...checksOf('ci')]))
})

describe('the code whose hash decides about a search', () => {
  it.each([
    [
      'a.pml',
      '/* One\n   more. */\n#define A "/* a */" \\\n  1 // b\n',
      '#define A "/* a */" \\\n1',
    ],
    ['a.ts', '/** One. */\nf(`/* a */`) // b\n', 'f ( `/* a */` )'],
  ])('leaves out the comments of %s', (name, source, code) => {
    expect(codeOf(name, source)).toBe(code)
  })

  it('keeps the rest', () => {
    expect(codeOf('a.pml', '#define A 1')).not.toBe(codeOf('a.pml', '#define A 2'))
  })
})
