import { first, lastNode, onWrites, refuse, sleep, slowReply } from '../faults.ts'
import type { Behaviour } from './behaviour.ts'
import { describe, fails, none, ok, settle } from '../observation.ts'
import type { TestBed } from '../test-bed.ts'

const lateExtend: Behaviour = {
  id: 'late-extend',
  title: 'An extend that took longer than the new ttl is not reported as success',
  test: 'The replies to writes take longer than the new ttl; command timeout 5 s.',
  known: 'mike-marcacci/node-redlock#369 (F5); reading of brainix/pottery.',
  run: async ({ openHolder, fail, ttls, contestant: { unit } }) => {
    // A library that counts in seconds rounds up to a whole second.
    const [ttl, delay] = unit > 1 ? [unit, 2.5 * unit] : [200, 300]
    const { hold } = await openHolder({ ttl, timeout: 5000 })
    fail(() => onWrites(slowReply(delay)))
    const outcome = await settle(hold.extend(ttl), 6000)
    const isGone = (await ttls()).every((left) => left <= 0)
    if (outcome.state === 'pending') return fails(describe(outcome))
    const isSuccess = outcome.state === 'resolved' && outcome.value
    if (!isSuccess) return ok('not a success')
    return isGone ? fails('a success, when the key was gone from every node') : ok('still held')
  },
}

/** Extends a lock that one node has lost. Resolves to whether it is there again. */
const isHealed = async ({ open, drop, ttls }: TestBed, key: string): Promise<boolean> => {
  const session = await open({ ttl: 5000 })
  const hold = await session.acquire([key])
  await lastNode()
  await drop(key, 0)
  await settle(hold.extend(5000), 3000)
  await sleep(400)
  return (await ttls(key))[0]! > 0
}

const heal: Behaviour = {
  id: 'heal',
  title: 'An extend puts the key back on a node that has lost it',
  test: 'The key is deleted on one node of three, as by a restart; then an extend.',
  known: 'go-redsync/redsync#149; swarthy/redis-semaphore does so.',
  needs: ['several nodes'],
  run: async (bed) =>
    (await isHealed(bed, bed.key)) ? ok('put back') : none('an extend does not put it back'),
}

const healTaken: Behaviour = {
  id: 'heal-taken',
  title: '... but does not count a node that another client has held in between',
  test: 'After the deletion another client acquires and releases the lock on that node. A second of three nodes fails, so the extend needs it.',
  known: 'reading of go-redsync/redsync (WithSetNXOnExtend): continuity is lost.',
  needs: ['several nodes'],
  run: async (bed) => {
    if (!(await isHealed(bed, bed.key))) return none('an extend puts nothing back anywhere')
    const { open, openOther, drop, fail, freshKey } = bed
    const key = freshKey()
    const session = await open({ ttl: 5000 })
    const hold = await session.acquire([key])
    await lastNode()
    await drop(key, 0)
    const other = await openOther([0])
    await (await other.acquire([key])).release()
    fail(() => refuse, [1])
    const outcome = await settle(hold.extend(5000), 3000)
    fail(undefined)
    const isCounted = outcome.state === 'resolved' && outcome.value
    return isCounted ? fails('counted as held all the time') : ok('not counted')
  },
}

const fraction: Behaviour = {
  id: 'fraction',
  title: 'An extend by a fraction of a second works',
  test: 'ttl 1 s, extend by 2,500 ms.',
  known: 'reading of @upstash/lock: it passes a fraction to EXPIRE.',
  run: async ({ openHolder, ttls }) => {
    const { hold } = await openHolder({ ttl: 1000 })
    const outcome = await settle(hold.extend(2500), 3000)
    if (outcome.state !== 'resolved') return fails(describe(outcome))
    await lastNode()
    const lives = Math.min(...(await ttls()))
    return outcome.value && lives > 1900 ? ok('works') : fails(`refused, ${lives} ms left`)
  },
}

const keepsOnFailure: Behaviour = {
  id: 'failed-extend',
  title: 'A failed extend does not release the lock while its validity lasts',
  test: 'One extend reaches too few nodes, which then answer again; another client tries to acquire.',
  known: 'reading of redlock 4, rslock and redis-semaphore: a failed extend releases.',
  run: async ({ openHolder, openOther, fail, left, nodes, key, contestant: { resends } }) => {
    const { hold } = await openHolder()
    fail(() => first(1 + resends, refuse), nodes.length > 1 ? [0, 1] : [0])
    await settle(hold.extend(10_000), 3000)
    fail(undefined)
    await sleep(300)
    const keys = `${await left()} of ${nodes.length} keys left`
    const other = await openOther()
    const taken = await settle(other.acquire([key]), 3000)
    return taken.state === 'rejected' ? ok(keys) : fails(`${keys}, and another got it`)
  },
}

export const extendBehaviours = { lateExtend, heal, healTaken, fraction, keepsOnFailure }
