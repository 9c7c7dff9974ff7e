/** How much more memory may be in use at the end than at the beginning, in bytes. */
export const maxGrowth: number = 32 * 1_048_576
