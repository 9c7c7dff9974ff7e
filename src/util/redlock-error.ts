/** The base of all errors of the package. Its JSON has the message, which that of an `Error` lacks, and all properties. */
export class RedlockError extends Error {
  /** The HTTP status of a request that ends with this error. It is on the prototype, so that no copy or JSON has it. */
  get status(): number {
    return 500
  }

  /** The same, as other frameworks read it. */
  get statusCode(): number {
    return this.status
  }

  toJSON(): object {
    const { name, message } = this
    return Object.assign({ name, message }, this)
  }
}
