/** The nodes that are compared. */
export const kinds = [
  'one object',
  'three objects',
  'three REST nodes that save every write',
  'three REST nodes',
] as const

export type Kind = (typeof kinds)[number]
