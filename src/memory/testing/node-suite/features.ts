/** The features of a node in addition to locks and throttles. */
export type Feature = 'slots' | 'records' | 'force'

export const allFeatures: readonly Feature[] = ['slots', 'records', 'force']
