import type { Operation, Recording } from '../world/recording.ts'

/** The requests that a client sends to several nodes at one moment. */
export type Batch = {
  readonly at: number
  readonly client: number
  readonly operation: Operation
  readonly attempt: number
  /** The slot that it asks for; undefined where any will do. */
  readonly wanted: number | undefined
  readonly nodes: readonly number[]
}

/** The requests to nodes, by the moment at which they were sent. */
export const batchesOf = ({ messages }: Recording): readonly Batch[] => {
  const batches = new Map<string, Batch & { nodes: number[] }>()
  for (const { client, operation, attempt, wanted, sentAt: at, to } of messages) {
    if (to === 'store') continue
    const id = [client, operation, attempt, at, wanted].join()
    const batch = batches.get(id) ?? { at, client, operation, attempt, wanted, nodes: [] }
    batch.nodes.push(to)
    batches.set(id, batch)
  }
  return [...batches.values()]
}
