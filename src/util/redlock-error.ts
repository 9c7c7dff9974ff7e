/**
 * The base class of the errors in this package. Unlike with a plain `Error`, its JSON contains the message and all
 * properties.
 */
export class RedlockError extends Error {
  toJSON(): object {
    const { name, message } = this
    return Object.assign({ name, message }, this)
  }
}

/** An error that ends an HTTP request with a certain status, with the properties that frameworks read. */
export class StatusError extends RedlockError {
  /** The HTTP status of the response. */
  declare readonly status: number
  /** The same status, under the name that other frameworks use. */
  declare readonly statusCode: number
  /** The headers of the response, which Express, Fastify and Koa send. */
  declare readonly headers: Readonly<Record<string, string>>

  /**
   * Sets these properties. They are not enumerable, so JSON and copies omit them, but writable, because Koa sets
   * `status`.
   */
  protected setStatus(status: number, headers: Readonly<Record<string, string>> = {}): void {
    for (const [name, value] of Object.entries({ status, statusCode: status, headers }))
      Object.defineProperty(this, name, { value, writable: true, configurable: true })
  }
}
