/** One of five nodes that does not answer, or answers late. */
export type SickNode = {
  /** Its place in the order of names, which is the same for all clients. */
  readonly rank: number
  /** Ms that are added to each answer, drawn anew for each; undefined where none ever comes. */
  readonly late: { readonly min: number; readonly max: number } | undefined
}

const late = { min: 100, max: 300 }

const ranks = [0, 2, 4]

/** The sick nodes that are measured, one at a time. */
export const sickNodes: readonly SickNode[] = [undefined, late].flatMap((kind) =>
  ranks.map((rank) => ({ rank, late: kind })),
)

/** Nodes that answer about when clients stop waiting for them, so that only some clients hear them. */
export const laggingNodes: readonly SickNode[] = ranks.map((rank) => ({
  rank,
  late: { min: 20, max: 60 },
}))

export const nameOf = ({ rank, late }: SickNode): string =>
  late ? `node ${rank} ${late.min}-${late.max} ms late` : `node ${rank} hangs`
