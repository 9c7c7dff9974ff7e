/** Starts an example over its nodes, and leaves to `started` what ends them. */
export type Shown = (
  port: number,
  started: AsyncDisposableStack,
  print: (line: string) => void,
) => Promise<{
  readonly url: string
  /** What runs the nodes. */
  readonly engine: string
  /** Suggests a trial while the Worker keeps running. */
  readonly instructions: string
}>
