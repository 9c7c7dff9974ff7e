import { coded } from '../util/codes.ts'

// The ways to read the body of a request.
const readers = ['arrayBuffer', 'blob', 'body', 'bytes', 'formData', 'json', 'text'] as const

/** The requests whose bodies are lent, and how many functions read a copy right now. */
const lent = new WeakMap<Request, { readers: number; readonly end: () => void }>()

/** Replaces the methods that read a request with those of a copy. @returns the function that restores them. */
const shadow = (request: Request): (() => void) => {
  let copy: Request | undefined
  /** Functions that read simultaneously get separate copies. */
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
 * Calls a function of the options that may read the body of a request. The function reads a copy, so the handler can
 * still read the body.
 *
 * Each reader gets a copy. Until the function has ended, the reading methods of the request belong to a copy. The
 * request itself stays the same object, since the platform would not recognize another one.
 *
 * @param request - The request, if the function gets it; undefined if it gets something else.
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

/** The error for a body that has been read before, so that its content is not available. */
export const bodyReadBefore = (): TypeError =>
  new TypeError(
    coded(
      'ERL17',
      'The body of the request has been read before: put the middleware before the code that reads it, ' +
        'read `request.clone()` there, or set `fingerprint`',
    ),
  )
