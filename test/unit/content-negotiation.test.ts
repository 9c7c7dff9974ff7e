import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { prefersText } from '../../src/http/content-negotiation.ts'

describe('prefersText', () => {
  it.each([
    [null, false],
    ['', false],
    ['*/*', false],
    ['text/plain', true],
    ['TEXT/PLAIN', true],
    ['text/*', true],
    ['text/plain, */*', false],
    ['text/plain, */*;q=0.9', true],
    ['text/plain;charset=utf-8;q=0.4, application/json;q=0.5', false],
    ['application/problem+json;q=0.1, text/plain;q=0.2', true],
    ['text/plain;q=0', false],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
    ['text/plain;q=zero', false],
  ])('for %j returns %s', (accept, expected) => {
    expect(prefersText(accept)).toBe(expected)
  })

  it('never throws, for any header', () => {
    fc.assert(
      fc.property(fc.string(), (accept) => {
        expect(typeof prefersText(accept)).toBe('boolean')
      }),
    )
  })
})
