// The number of bytes that a handler can write before it should wait, as on a Node connection.
const highWaterMark = 65_536

/** A stream of the body that a handler writes, and the functions that feed it. */
export type WrittenBody = {
  readonly stream: ReadableStream<Uint8Array>
  /** Returns false if the handler should wait until `onDrain` is called. */
  readonly write: (bytes: Uint8Array) => boolean
  readonly end: () => void
  readonly fail: (error: unknown) => void
}

/** Creates an empty body. `onDrain` is called when the handler can write again. */
export const writtenBody = (onDrain: () => void): WrittenBody => {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  let isOver = false
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given
      },
      pull: onDrain,
      cancel: () => {
        isOver = true
        onDrain()
      },
    },
    { highWaterMark, size: ({ length }) => length },
  )
  return {
    stream,
    write: (bytes) => {
      if (isOver) return true
      if (bytes.length > 0) controller.enqueue(bytes)
      return controller.desiredSize! > 0
    },
    end: () => {
      if (!isOver) controller.close()
      isOver = true
    },
    fail: (error) => {
      isOver = true
      controller.error(error)
    },
  }
}
