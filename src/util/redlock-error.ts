/** The base of all errors of the package. Its JSON has the message, which that of an `Error` lacks, and all properties. */
export class RedlockError extends Error {
  toJSON(): object {
    const { name, message } = this
    return Object.assign({ name, message }, this)
  }
}

/** An error that ends a request with a status of its own, as frameworks read it. */
export class StatusError extends RedlockError {
  /** The HTTP status of a request that ends with this error. */
  declare readonly status: number
  /** The same, by the name that other frameworks read. */
  declare readonly statusCode: number
  /** The headers of the response, which Express, Fastify and Koa send. */
  declare readonly headers: Readonly<Record<string, string>>

  /** Sets them: not enumerable, so that JSON and copies have none; and writable, since Koa sets `status`. */
  protected setStatus(status: number, headers: Readonly<Record<string, string>> = {}): void {
    for (const [name, value] of Object.entries({ status, statusCode: status, headers }))
      Object.defineProperty(this, name, { value, writable: true, configurable: true })
  }
}
