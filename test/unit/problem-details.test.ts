import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { problem } from '../../src/http/problem-details.ts'

const typeFor = (accept: string | null): string | null =>
  problem({ status: 409, detail: 'Please try again.' }, accept).headers.get('content-type')

describe('the type of a problem', () => {
  it.each([
    [null, 'application/problem+json'],
    ['', 'application/problem+json'],
    ['*/*', 'application/problem+json'],
    ['text/plain', 'text/plain;charset=UTF-8'],
    ['TEXT/PLAIN', 'text/plain;charset=UTF-8'],
    ['text/*', 'text/plain;charset=UTF-8'],
    ['text/html, text/plain;q=0.5', 'text/plain;charset=UTF-8'],
    ['text/plain, */*', 'application/problem+json'],
    ['text/plain, application/json;q=0.5', 'application/problem+json'],
    ['text/plain, application/problem+json', 'application/problem+json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/problem+json'],
  ])('for %j is %s', (accept, type) => {
    expect(typeFor(accept)).toBe(type)
  })

  it('is one of the two for any header', () => {
    fc.assert(
      fc.property(fc.string(), (accept) => {
        expect(typeFor(accept)).toMatch(/^(application\/problem\+json|text\/plain;charset=UTF-8)$/)
      }),
    )
  })
})
