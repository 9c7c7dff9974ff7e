import type { Cluster } from '../../tools/servers/cluster.ts'

/** What a handler answers. */
export type Answer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What a client receives. An error that the library throws to the platform has the status 500. */
export type Received = {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/** A request. Without a key it has none. */
type Sent = { readonly key?: string; readonly user?: string; readonly body?: string }

/** What is the same for all libraries. Times in ms. */
export type Setup = {
  readonly cluster: Cluster
  readonly handler: () => Promise<Answer>
  /** After which a request whose process has died may run again, where the library lets one choose. */
  readonly claimTtl: number
  /** For how long an answer is kept; whole seconds. */
  readonly recordTtl: number
  /** Whether the case is about other payloads, or about several users: some libraries need to be told. */
  readonly about?: 'payload' | 'users' | undefined
}

/** One process with the library: its own connection to the store, which a case can cut. */
export type Instance = {
  readonly send: (sent: Sent) => Promise<Received>
  /** From now on the store does not answer. */
  readonly cut: () => void
  /** From now on the store refuses. */
  readonly refuse: () => void
  readonly mend: () => void
  readonly close: () => Promise<unknown>
}

/** A feature that not every library has. */
export type Feature =
  | 'shared store'
  | 'several servers'
  | 'expiry'
  | 'keeping'
  | 'required key'
  | 'waiting'

/** One library behind the common interface. */
export type Contestant = {
  readonly name: string
  /** Its folder in node_modules; undefined for this project. */
  readonly folder: string | undefined
  /** The missing features, each with an explanation. */
  readonly lacks: { readonly [feature in Feature]?: string }
  readonly open: (setup: Setup) => Promise<Instance>
}

/** The state of a connection to a store. */
export const makeLink = () => {
  let state: 'open' | 'cut' | 'refused' = 'open'
  let wake: (() => void)[] = []
  return {
    cut: (): void => void (state = 'cut'),
    refuse: (): void => void (state = 'refused'),
    mend: (): void => {
      state = 'open'
      for (const one of wake) one()
      wake = []
    },
    /** Runs a command when the link lets it through. A command that was cut off is lost. */
    pass: async <T>(send: () => Promise<T>): Promise<T> => {
      if (state === 'refused') throw new Error('connect ECONNREFUSED')
      if (state === 'cut') {
        await new Promise<void>((resolve) => wake.push(resolve))
        throw new Error('read ECONNRESET')
      }
      return send()
    },
  }
}
