/** How much more memory may be in use at the end than at the beginning, in bytes. */
export const maxGrowth: number = 32 * 1_048_576

/** The least share of the requests per second of a bare server that the gateway answers. */
export const minShare: number = 0.4
/** How many times the p99 of a bare server the gateway may have, with a thousand connections. */
export const maxTimesP99: number = 1.5
