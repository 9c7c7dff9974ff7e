import { expect, it, vi } from 'vitest'
import { warnOnce } from '../../src/util/warn-once.ts'

it('warns once of each subject, and of 100 at most', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  for (let time = 0; time < 3; time++) {
    for (let number = 0; number < 150; number++)
      warnOnce('ERL19', `text ${time}`, `subject ${number}`)
  }
  expect(warn.mock.calls).toEqual(
    Array.from({ length: 100 }, () => ['edge-redlock: text 0 (ERL19)']),
  )
  warn.mockRestore()
})
