/** One sentence of a run. */
export type Step = {
  /** Ms since the run began. */
  readonly at: number
  readonly text: string
  /** `key`: shown while the run plays; `request`: only in the list of all requests. */
  readonly level: 'key' | 'request'
  /** Whether a client got what it wanted, or something was refused or failed. */
  readonly tone?: 'good' | 'bad'
}
