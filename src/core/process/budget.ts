/**
 * Counts the requests that a call can still send. Only rounds and wake-up take requests; other code only reads how many
 * are left.
 *
 * An acquire takes two requests per node, because a node that grants the lock may have to be released. The second
 * request is reserved until the node rejects the lock.
 */
export class Budget {
  #left: number
  #reserved = 0
  #kept = 0
  #setAside = 0

  /** @param requests - The number of requests; Infinity for no limit. */
  constructor(requests: number) {
    this.#left = requests
  }

  /** The number of requests left, not counting reserved ones. */
  get left(): number {
    return this.#left
  }

  /** Deducts requests that are about to be sent. */
  take(requests: number): void {
    this.#left -= requests
  }

  /**
   * Reserves requests for releases. A negative number returns reserved requests, either because they are not needed or
   * because they are about to be sent.
   */
  reserve(requests: number): void {
    this.#left -= requests
    this.#reserved += requests
  }

  /** Makes waiting calls leave this share of the remaining requests to other users of the budget. */
  keep(share: number): void {
    this.#kept = this.#left < Infinity ? Math.ceil(share * this.#left) : 0
  }

  /**
   * Sets aside the requests that release a lock, while other users of the budget run under that lock.
   *
   * @returns a function that returns these requests to the budget.
   */
  setAside(nodes: number): () => void {
    this.#left -= nodes
    this.#setAside += nodes
    let isAside = true
    return () => {
      if (!isAside) return
      isAside = false
      this.#left += nodes
      this.#setAside -= nodes
    }
  }

  /** Whether the budget allows asking this many nodes and then releasing them. */
  affords(nodes: number): boolean {
    return this.#left >= 2 * nodes
  }

  /** Whether the budget allows extending a lock on this many nodes and then releasing it. */
  affordsExtension(nodes: number): boolean {
    return this.#left + Math.min(this.#setAside, nodes) >= 2 * nodes
  }

  /** Whether the budget allows a waiting call to ask this many nodes once more. */
  affordsRetry(nodes: number): boolean {
    return this.#left - this.#kept >= 2 * nodes
  }

  /**
   * Whether the budget will allow a retry if the nodes reject the pending requests.
   *
   * @param retries - The number of consecutive retries that the budget must allow.
   */
  mayAffordRetry(nodes: number, retries: number = 1): boolean {
    return this.#left + this.#reserved - this.#kept >= (retries + 1) * nodes
  }
}
