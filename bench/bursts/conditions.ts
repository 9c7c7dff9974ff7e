import { figuresOf } from './figures.ts'
import { type Measured, ratiosOf } from './measured.ts'
import { merge, runBursts } from './run.ts'
import type { World } from './world.ts'

/** A condition under which bursts are measured. */
export type Condition = {
  readonly name: string
  readonly open: () => Promise<World>
  readonly limits?: Measured['limits']
  /** The time to the winner is taken over all conditions of one kind. Default: only this one. */
  readonly kind?: string | undefined
}

/** Measures the same bursts under several conditions, and compares them with the first one. */
export const measureConditions = async (
  labels: Pick<Measured, 'contestant' | 'group' | 'size'>,
  conditions: readonly Condition[],
  bursts: number,
): Promise<Measured[]> => {
  await using opened = new AsyncDisposableStack()
  const worlds: World[] = []
  for (const { open } of conditions) {
    const world = await open()
    opened.defer(world.close)
    worlds.push(world)
  }
  const runs = await runBursts(worlds, bursts)
  const usual = figuresOf(runs[0]!)
  return conditions.map(({ name, limits, kind }, index) => {
    const figures = figuresOf(runs[index]!)
    const measured = { ...labels, condition: name, ...figures }
    if (index === 0) return measured
    const sameKind = runs.filter(
      (_, other) => kind !== undefined && conditions[other]!.kind === kind,
    )
    const { toWinner } = kind === undefined ? figures : figuresOf(merge(sameKind))
    return { ...measured, ratios: ratiosOf({ ...figures, toWinner }, usual), limits }
  })
}
