/** Starts an example and its nodes, and registers in `started` how to stop them. */
export type Shown = (
  port: number,
  started: AsyncDisposableStack,
  print: (line: string) => void,
) => Promise<{
  readonly url: string
  /** The servers behind the nodes. */
  readonly engine: string
  /** Suggests what to try while the Worker is running. */
  readonly instructions: string
}>
