import { describe, expect, it } from 'vitest'
import { check } from '../../verification/chaos/checker/check.ts'
import { clean, faultOf, found, historyOf, slotHolder } from './histories.ts'

describe('slots', () => {
  const two = [
    ...slotHolder('one.1/1#1', 'slots-2#1', 5_000),
    ...slotHolder('two.1/1#1', 'slots-2#2', 5_100),
  ]
  const three = [...two, ...slotHolder('three.1/1#1', 'slots-2#3', 5_200)]

  it('have as many holders at the same time as the limit', () => {
    expect(found([...two, ...slotHolder('three.1/1#1', 'slots-2#1', 5_315)])).toEqual([])
    const { slots } = check(historyOf([...clean.events, ...two], clean.stores))
    expect(slots).toMatchObject([
      { limit: 2, locks: 4, maxHolders: 2 },
      { limit: 3, locks: 3, maxHolders: 3 },
    ])
  })

  it('have one holder too many', () => {
    expect(found(three)).toEqual(['holders'])
  })

  it('may have more while the clock of a server jumps ahead', () => {
    const jump = faultOf({ kind: 'clock jumps', from: 5_050, until: 5_060, nodes: [0] })
    expect(found([...jump, ...three])).toEqual([])
  })

  it('have two holders of one slot, which are no more than the limit', () => {
    const same = slotHolder('three.1/1#1', 'slots-2#1', 5_200)
    expect(found([...two.slice(0, 4), ...same])).toEqual(['exclusion'])
  })

  it.each(['slots-2', 'slots-3'])('must all be taken at some moment: those of %s', (name) => {
    const events = clean.events.filter(({ op }) => op !== `two.1/0#${name}`)
    const text = `the slots of ${name} were never all taken`
    const { violations } = check(historyOf(events, clean.stores))
    expect(violations).toMatchObject([{ check: 'nothing to check', text }])
  })
})
