/** How much more memory may be in use at the end than at the beginning, in bytes. */
export const maxGrowth: number = 32 * 1_048_576

/** The gateway must answer at least this fraction of the requests per second of a bare server. */
export const minShare: number = 0.4
/** The p99 of the gateway may be this multiple of a bare server's, with a thousand connections. */
export const maxTimesP99: number = 1.5
