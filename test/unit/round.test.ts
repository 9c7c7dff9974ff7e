import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runTranscript } from './round/run.ts'

// Each file of ./round shows one kind of situation. `npm test --
// test/unit/round.test.ts -u` writes the results of all lines anew.

const folder = join(import.meta.dirname, 'round')

describe('the effects of a round', () => {
  it.each(globSync('*.txt', { cwd: folder }).sort())('are those of %s', async (name) => {
    const path = join(folder, name)
    const transcript = runTranscript(readFileSync(path, 'utf8'))
    await expect(transcript).toMatchFileSnapshot(path)
    expect(transcript).not.toContain('impossible')
  })
})

describe('a transcript', () => {
  const replayed = (events: string): string =>
    runTranscript(`acquire, 3 nodes, concurrency 1\n  0  start\n${events}`)

  it.each([
    ['an event before the last one', '  5  node 0 failed\n  4  node 1 granted', 'was earlier'],
    ['a timer that nobody has set', '  5  timer', 'no timer is due'],
    ['an event after the time to wait', ' 300  node 0 granted', 'rings at 250'],
    ['an answer without a request', '  5  node 1 granted', 'no request is under way'],
    ['an event after the end', '  5  node 0 failed\n  6  node 1 failed\n  7  timer', 'it is over'],
    ['a second start', '  5  start', 'it starts only once'],
  ])('must not have %s', (_, events, message) => {
    expect(replayed(events)).toContain('impossible')
    expect(replayed(events)).toContain(message)
  })

  it.each([
    ['an unknown event', '  5  node 0 exploded', 'line 3: unknown event'],
    ['an unknown operation', 'steal, 3 nodes', 'line 3: unknown operation'],
    ['an unknown option', 'acquire, 3 nodes, fast', 'line 3: unknown option'],
  ])('is rejected with %s', (_, line, message) => {
    expect(() => replayed(line)).toThrow(message)
  })
})
