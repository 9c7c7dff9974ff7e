import { coded } from '../util/codes.ts'

// The ways to read the body of a request.
const readers = ['arrayBuffer', 'blob', 'body', 'bytes', 'formData', 'json', 'text'] as const

/** The requests whose bodies are lent, and the number of functions that are currently reading a copy. */
const lent = new WeakMap<Request, { readers: number; readonly end: () => void }>()

/** Redirects the reading methods of a request to a copy of it. @returns a function that restores them. */
const shadow = (request: Request): (() => void) => {
  let copy: Request | undefined
  /** Returns a copy whose body is unread. Functions that read simultaneously receive separate copies. */
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
 * Calls an option function that may read the request body. The function reads a copy, so the handler can still read
 * the body.
 *
 * Until the function ends, the reading methods of the request return the content of a copy. The request remains the
 * same object, because the platform does not recognize a copy.
 *
 * @param request - The request, if the function receives it; undefined otherwise.
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
  // Several gates may read the same request simultaneously.
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

/** The error for a body whose content is unavailable because other code has read it. */
export const bodyReadBefore = (): TypeError =>
  new TypeError(
    coded(
      'ERL17',
      'The body of the request has been read before: put the middleware before the code that reads it, ' +
        'read `request.clone()` there, or set `fingerprint`',
    ),
  )
