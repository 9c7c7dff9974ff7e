// Enough for any error that a library has wrapped. An error may make its cause anew at each reading.
const maxCauses = 100

/**
 * The error, its `cause`, the `errors` of an `AggregateError`, and theirs in turn: each once, since
 * errors may refer to each other in a circle, and 100 at most.
 */
export const causesOf = (error: unknown): readonly object[] => {
  const found = new Set<object>()
  const add = (one: unknown): void => {
    if (typeof one === 'object' && one && found.size < maxCauses) found.add(one)
  }
  add(error)
  // A set is iterated with what is added meanwhile.
  for (const one of found) {
    try {
      const { cause, errors } = one as { cause?: unknown; errors?: unknown }
      add(cause)
      if (Array.isArray(errors)) for (const each of errors) add(each)
    } catch {
      // A property that throws has no cause to tell.
    }
  }
  return [...found]
}
