// The ways to read the body of a request.
const readers = ['arrayBuffer', 'blob', 'body', 'bytes', 'formData', 'json', 'text'] as const

/** The requests whose bodies are lent, and how many functions read a copy right now. */
const lent = new WeakMap<Request, { readers: number; readonly end: () => void }>()

/** Gives a request readers of its own, which belong to a copy. @returns the function that ends that. */
const shadow = (request: Request): (() => void) => {
  let copy: Request | undefined
  /** Functions that read at the same time get a copy each. */
  const unread = (): Request => {
    if (!copy || copy.bodyUsed || copy.body?.locked) copy = request.clone()
    return copy
  }
  const lend = (name: (typeof readers)[number]): PropertyDescriptor => ({
    configurable: true,
    get: () => {
      const value: unknown = Reflect.get(unread(), name)
      return typeof value === 'function' ? (value.bind(copy) as unknown) : value
    },
  })
  const own = readers.map((name) => Object.getOwnPropertyDescriptor(request, name))
  for (const name of readers) Object.defineProperty(request, name, lend(name))
  return () => {
    readers.forEach((name, index) => {
      if (own[index]) Object.defineProperty(request, name, own[index])
      else Reflect.deleteProperty(request, name)
    })
  }
}

/**
 * Calls a function of the options that may read the body of a request. It reads a copy, so that the handler can still
 * read the body itself.
 *
 * A copy is made for each reader. Until the function has ended, the request has readers of its own, which belong
 * to a copy: a request in place of this one would not be known to the platform.
 *
 * @param request - The request, where the function gets it; undefined where it gets something else.
 */
export const lendBody = async <T>(
  request: Request | undefined,
  call: () => T | Promise<T>,
): Promise<T> => {
  const mayLend =
    request &&
    !request.bodyUsed &&
    Object.isExtensible(request) &&
    !/^(GET|HEAD)$/i.test(request.method)
  if (!mayLend) return call()
  // Several gates may have the same request at the same time.
  const loan = lent.get(request) ?? { readers: 0, end: shadow(request) }
  lent.set(request, loan)
  loan.readers++
  try {
    return await call()
  } finally {
    if (--loan.readers === 0) {
      lent.delete(request)
      loan.end()
    }
  }
}

/** The error for a body that somebody has read before, so that nothing stands for all of it. */
export const bodyReadBefore = (): TypeError =>
  new TypeError(
    'The body of the request has been read before: put the middleware before what reads it, ' +
      'read `request.clone()` there, or set `fingerprint`',
  )
