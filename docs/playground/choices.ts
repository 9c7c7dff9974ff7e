// What the reader can choose for a double click: the client, and what is wrong with one of three nodes.

export const clients = ['parallel', 'frugal', 'redlock'] as const
export type Client = (typeof clients)[number]

const nodes = [1, 2, 3] as const
const faults = ['stopped', 'frozen'] as const
export type Fault = {
  readonly node: (typeof nodes)[number]
  readonly fault: (typeof faults)[number]
}

/** Without a fault, and with each one. */
export const situations: readonly (Fault | undefined)[] = [
  undefined,
  ...nodes.flatMap((node) => faults.map((fault) => ({ node, fault }))),
]

/** The scene of a choice. */
export const idOf = (client: Client, at: Fault | undefined): string =>
  [client, ...(at ? [at.fault, at.node] : [])].join('-')
