/**
 * Counts the requests that a call may still send. Only rounds and wake-up take requests; other code only reads how many
 * are left.
 *
 * An acquire takes two requests per node, since a node that grants the lock may have to be released. The second one is
 * reserved until the node has rejected.
 */
export class Budget {
  #left: number
  #reserved = 0
  #kept = 0
  #setAside = 0

  /** @param requests - How many; Infinity for no limit. */
  constructor(requests: number) {
    this.#left = requests
  }

  /** The requests that are left, without the reserved ones. */
  get left(): number {
    return this.#left
  }

  /** Takes requests that are about to be sent. */
  take(requests: number): void {
    this.#left -= requests
  }

  /**
   * Reserves requests for releases. A negative number returns requests that are not needed, or are about to be sent.
   */
  reserve(requests: number): void {
    this.#left -= requests
    this.#reserved += requests
  }

  /** Makes waiting calls leave this share of the remaining requests to others that use the budget. */
  keep(share: number): void {
    this.#kept = this.#left < Infinity ? Math.ceil(share * this.#left) : 0
  }

  /**
   * Sets aside the requests that end a lock, while others that use the budget run under that lock.
   *
   * @returns the function that gives them back.
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

  /** Whether this many nodes can be asked, and then released. */
  affords(nodes: number): boolean {
    return this.#left >= 2 * nodes
  }

  /** Whether this many nodes can be asked to extend a lock, and to release it. */
  affordsExtension(nodes: number): boolean {
    return this.#left + Math.min(this.#setAside, nodes) >= 2 * nodes
  }

  /** Whether a waiting call can ask this many nodes once more. */
  affordsRetry(nodes: number): boolean {
    return this.#left - this.#kept >= 2 * nodes
  }

  /**
   * Whether a retry will be affordable if the nodes reject the pending requests.
   *
   * @param retries - How many retries in a row must be affordable.
   */
  mayAffordRetry(nodes: number, retries: number = 1): boolean {
    return this.#left + this.#reserved - this.#kept >= (retries + 1) * nodes
  }
}
