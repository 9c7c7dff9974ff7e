/** What a node may be used for, beside locks and throttles. */
export type Feature = 'slots' | 'records' | 'force'

export const allFeatures: readonly Feature[] = ['slots', 'records', 'force']
