/**
 * The codes of errors, warnings and problem details. `docs/reference/troubleshooting.md` has a section for each, with
 * its cause and its fix. A code never changes its meaning, and a code that is no longer in use is not used again.
 */
export const codes = {
  ERL01: 'an option or argument is wrong',
  ERL02: 'another client holds the lock',
  ERL03: 'too few nodes answered',
  ERL04: 'the lock was lost',
  ERL05: 'the value of a run was not recorded',
  ERL06: 'an earlier run failed',
  ERL07: 'a fencing token is stale',
  ERL08: 'a fencing token is missing or invalid',
  ERL09: 'the window of a throttle is closed',
  ERL10: 'an idempotency key is missing or invalid',
  ERL11: 'an idempotency key was used for another payload',
  ERL12: 'a payload is too large',
  ERL13: 'the same request is in progress',
  ERL14: 'a response was not stored',
  ERL15: 'a response was not recorded',
  ERL16: 'a handler failed',
  ERL17: 'a payload cannot be compared',
  ERL18: 'there is no request',
  ERL19: 'a node fails',
  ERL20: 'two nodes are one server',
  ERL21: 'the number of nodes is even',
  ERL22: 'a budget of requests is used up',
  ERL23: 'a time looks like seconds',
  ERL24: 'two endpoints share responses',
  ERL25: 'a body was not read in time',
  ERL26: 'a callback failed',
  ERL27: 'edge-redlock has a defect',
} as const

/** The code of an error, a warning or a problem. Only its type is in a bundle, without the table. */
export type Code = keyof typeof codes

/** Adds a code to the end of a message. */
export const coded = (code: Code, message: string): string => `${message} (${code})`

// The beginning of a problem's `type`. RFC 9457 permits an identifier that leads nowhere, and this site has no public
// address. Once it has one, write the URL of the troubleshooting page here, up to and including its `#`.
const typeBase = 'urn:edge-redlock:'

/** The `type` of a problem with this code. */
export const problemType = (code: Code): string => typeBase + code
