/**
 * Counts the requests that a call may still send. Rounds and wake-up take them; all others only ask what is left.
 *
 * An acquire takes two requests for each node, since a node that grants may have to be released. The second is
 * reserved until the node has rejected.
 */
export class Budget {
  #left: number
  #reserved = 0
  #kept = 0
  #setAside = 0

  /** @param requests - How many; Infinity: they are not limited. */
  constructor(requests: number) {
    this.#left = requests
  }

  /** The requests that are left, without those that are reserved. */
  get left(): number {
    return this.#left
  }

  /** Takes requests that are about to be sent. */
  take(requests: number): void {
    this.#left -= requests
  }

  /** Reserves requests for releases; a negative number gives back what is not needed, or is about to be sent. */
  reserve(requests: number): void {
    this.#left -= requests
    this.#reserved += requests
  }

  /** Lets calls that wait leave this share of what is left to others that use the budget. */
  keep(share: number): void {
    this.#kept = this.#left < Infinity ? Math.ceil(share * this.#left) : 0
  }

  /**
   * Sets the requests aside that end a lock, while others that use the budget run under it.
   *
   * @returns what gives them back.
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

  /** Whether so many nodes can be asked, and released. */
  affords(nodes: number): boolean {
    return this.#left >= 2 * nodes
  }

  /** Whether so many nodes can be asked to extend a lock, and to release it. */
  affordsExtension(nodes: number): boolean {
    return this.#left + Math.min(this.#setAside, nodes) >= 2 * nodes
  }

  /** Whether a call that waits can ask so many nodes once more. */
  affordsRetry(nodes: number): boolean {
    return this.#left - this.#kept >= 2 * nodes
  }

  /**
   * Whether that will be so if the nodes reject what they were asked.
   *
   * @param retries - How many times in a row they can be asked then.
   */
  mayAffordRetry(nodes: number, retries: number = 1): boolean {
    return this.#left + this.#reserved - this.#kept >= (retries + 1) * nodes
  }
}
