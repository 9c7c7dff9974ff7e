import type { Cluster } from '../../tools/servers/cluster.ts'

/** The answer of a handler. */
export type Answer = {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** The response that a client receives. An error that the library throws to the platform has the status 500. */
export type Received = {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
}

/** A request, with or without a key. */
type Sent = { readonly key?: string; readonly user?: string; readonly body?: string }

/** The settings that all libraries share. Times are in ms. */
export type Setup = {
  readonly cluster: Cluster
  readonly handler: () => Promise<Answer>
  /** The time after which a request of a dead process may run again, if the library has an option for it. */
  readonly claimTtl: number
  /** How long an answer is kept, in whole seconds. */
  readonly recordTtl: number
  /** Whether the case uses different payloads or several users: some libraries need options for that. */
  readonly about?: 'payload' | 'users' | undefined
}

/** One process with the library: its own connection to the store, which a case can cut. */
export type Instance = {
  readonly send: (sent: Sent) => Promise<Received>
  /** From now on, the store does not reply. */
  readonly cut: () => void
  /** From now on, the store rejects every command. */
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
