/** The base of all errors of the package. Unlike that of an `Error`, its JSON has the message and all properties. */
export class RedlockError extends Error {
  toJSON(): object {
    const { name, message } = this
    return Object.assign({ name, message }, this)
  }
}

/** An error that ends a request with a certain status, in the form that frameworks read. */
export class StatusError extends RedlockError {
  /** The HTTP status of a request that ends with this error. */
  declare readonly status: number
  /** The same, under the name that other frameworks read. */
  declare readonly statusCode: number
  /** The headers of the response, which Express, Fastify and Koa send. */
  declare readonly headers: Readonly<Record<string, string>>

  /** Sets these properties: not enumerable, so that JSON and copies omit them; writable, since Koa sets `status`. */
  protected setStatus(status: number, headers: Readonly<Record<string, string>> = {}): void {
    for (const [name, value] of Object.entries({ status, statusCode: status, headers }))
      Object.defineProperty(this, name, { value, writable: true, configurable: true })
  }
}
