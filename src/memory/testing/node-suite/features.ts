/** The features of a node beside locks and throttles. */
export type Feature = 'slots' | 'records' | 'force'

export const allFeatures: readonly Feature[] = ['slots', 'records', 'force']
