import type { BurstFigures } from './figures.ts'

/** The figures of bursts that have maxima, as multiples of the baseline. */
export const ratioNames = ['winner', 'answers', 'longest', 'requests'] as const
export type RatioName = (typeof ratioNames)[number]

/**
 * The ratios of the median time to the winner, of the 90th percentile and the maximum of all answers, and of the
 * requests.
 */
export type Ratios = { readonly [name in RatioName]: number }

/** The bursts of one case. */
export type Measured = BurstFigures & {
  readonly contestant: string
  /** The cases that share their targets. */
  readonly group: string
  /** How many clients asked simultaneously. */
  readonly size: number
  readonly condition: string
  readonly ratios?: Ratios
  /** The maxima of the ratios. */
  readonly limits?: Partial<Ratios> | undefined
}

type Compared = Pick<BurstFigures, 'toWinner' | 'p90' | 'longest' | 'requests'>

/** A ratio is NaN if there is no time to compare. */
export const ratiosOf = (figures: Compared, base: Compared): Ratios => ({
  winner: (figures.toWinner ?? NaN) / (base.toWinner ?? NaN),
  answers: (figures.p90 ?? NaN) / (base.p90 ?? NaN),
  longest: (figures.longest ?? NaN) / (base.longest ?? NaN),
  requests: figures.requests / base.requests,
})

/** The ratios that exceed their maximum, or could not be measured. */
export const missedOf = ({ ratios, limits }: Pick<Measured, 'ratios' | 'limits'>): RatioName[] =>
  ratioNames.filter((name) => {
    const limit = limits?.[name]
    return ratios && limit !== undefined && !(ratios[name] <= limit)
  })
