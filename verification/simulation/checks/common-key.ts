export const hasCommonKey = (a: readonly string[], b: readonly string[]): boolean =>
  a.some((key) => b.includes(key))
