/** The base of all errors of the package. Its JSON has the message, which that of an `Error` lacks, and all properties. */
export class RedlockError extends Error {
  toJSON(): object {
    const { name, message } = this
    return Object.assign({ name, message }, this)
  }
}
