import type { Limits } from './cases.ts'
import type { Measured } from './measure.ts'

/** The worst figure of a group of cases, and its maximum. */
export type RegionsTarget = {
  readonly about: string
  readonly value: number
  readonly most: number
  readonly isMet: boolean
}

const figures = {
  winner: ['median time to the winner over the quorum-th reply', ({ winner }) => winner],
  answers: ['p90 of all answers over the quorum-th reply', ({ answers }) => answers],
  requests: ['requests', ({ requests }) => requests],
} as const satisfies { [name in keyof Limits]: readonly [string, (one: Measured) => number] }

/** The targets of all cases, and those of the groups that have some, for the default strategy. */
export const targetsOf = (
  results: readonly Measured[],
  ofDefaults: readonly Measured[],
): RegionsTarget[] => {
  const groups = [...new Set(ofDefaults.map(({ group }) => group))]
  const without = results.reduce((sum, { bursts, one }) => sum + bursts - one, 0)
  const target = (about: string, value: number, most: number): RegionsTarget => ({
    about: `five regions, ${about}`,
    value,
    most,
    isMet: value <= most,
  })
  return [
    target('bursts without exactly one winner', without, 0),
    ...groups.flatMap((group) => {
      const ofGroup = ofDefaults.filter((one) => one.group === group)
      const { limits = {} as Partial<Limits> } = ofGroup[0]!
      return (['winner', 'answers', 'requests'] as const).flatMap((name) => {
        const most = limits[name]
        if (most === undefined) return []
        const [label, read] = figures[name]
        return target(`${group}: ${label}`, Math.max(...ofGroup.map(read)), most)
      })
    }),
  ]
}
