import { crowdsBeyond } from './crowds.ts'
import type { Finding, ShowTime } from './finding.ts'
import { groupByKeys } from './group-by.ts'
import type { Operation } from './operation.ts'

/** A pass certainly occupies its window from its return until one window after its first request. */
type Pass = {
  readonly operation: Operation
  readonly keys: readonly string[]
  readonly from: number
  readonly until: number
}

const passesOf = (
  operations: Iterable<Operation>,
  driftFactor: number,
): ReadonlyMap<string, Pass[]> => {
  const passes = [...operations]
    .filter(({ answer }) => answer === 'passed')
    .map((operation) => {
      const { keys, askedAt = operation.calledAt, answeredAt, window } = operation
      return { operation, keys, from: answeredAt!, until: askedAt + window! * (1 - driftFactor) }
    })
  return groupByKeys(passes)
}

/** No window has two passes, or more than its limit. `onMost` receives the maximum number of simultaneous passes. */
export const checkThrottles = (
  operations: Iterable<Operation>,
  driftFactor: number,
  show: ShowTime,
  onMost: (most: number, limit: number) => void = () => {},
): Finding[] =>
  [...passesOf(operations, driftFactor)].flatMap(([key, passes]): Finding[] => {
    const { limit } = passes[0]!.operation
    const finding = (check: string, some: readonly Pass[]): Finding => ({
      check,
      text: `${key} passed at ${some.map(({ from }) => show(from)).join(', ')}`,
      involved: some.map(({ operation }) => operation),
    })
    if (limit !== undefined) {
      const { beyond, most } = crowdsBeyond(passes, limit)
      onMost(most, limit)
      return beyond.map((crowd) => finding('passes', crowd))
    }
    // A pass that took longer than its own window must still not fall into the window of another.
    return passes.flatMap((a, index) =>
      passes
        .slice(index + 1)
        .filter((b) => a.from < b.until && b.from < a.until)
        .map((b) => finding('throttle', [a, b])),
    )
  })
