/** Starts an example over its nodes, and registers in `started` how to stop them. */
export type Shown = (
  port: number,
  started: AsyncDisposableStack,
  print: (line: string) => void,
) => Promise<{
  readonly url: string
  /** The servers behind the nodes. */
  readonly engine: string
  /** Suggests a trial while the Worker keeps running. */
  readonly instructions: string
}>
