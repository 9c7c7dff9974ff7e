import fc from 'fast-check'
import type {
  MemoryEntry,
  MemoryServer,
  RejectedCommand,
  ReplicationHistory,
} from '../../src/memory/memory-server.ts'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forceReleaseScript } from '../../src/redis/scripts/force-release-script.ts'
import { lockScript } from '../../src/redis/scripts/lock-script.ts'
import { recordScript } from '../../src/redis/scripts/record-script.ts'
import { volatileScript } from '../../src/redis/quarantine/volatile-script.ts'
import { slotScript } from '../../src/redis/scripts/slot-script.ts'
import { wakingReleaseScript } from '../../src/redis/scripts/waking-release-script.ts'
import {
  type Operation,
  parseReply,
  type ReplyTuple,
  runScript,
  type ScriptCall,
} from '../../tools/redis-wire.ts'
import { type RedisServer, startRedis } from '../../tools/servers/redis.ts'

// Memory nodes run an emulator of the script. For every sequence of operations, it and Redis must
// return the same replies and end up with the same keys.

const sequences = 10_000

// A fence expires 2.5 s before or after a multiple of 5 s, and again is never read in that millisecond.
const fenceTtls = ['0', '12500', '602500'] as const

// The longest quarantine that a client may ask for has 15 digits, of which `..` would write 14.
const quarantines = [undefined, undefined, '15000', `${2 ** 47}`] as const

type Step =
  | {
      readonly kind: 'run'
      readonly operation: Operation
      readonly keys: string[]
      readonly value: string
      readonly time: number
      readonly fenceTtl: (typeof fenceTtls)[number]
      readonly fence: number
      readonly quarantine: (typeof quarantines)[number]
      readonly withoutRunId: boolean
    }
  | {
      readonly kind: 'record'
      readonly operation: 'a' | 'c'
      readonly key: string
      readonly value: string
      readonly time: number
      readonly fence: number
      readonly record: string
      readonly quarantine: (typeof quarantines)[number]
    }
  | {
      readonly kind: 'slot'
      readonly keys: string[]
      readonly value: string
      readonly time: number
      readonly fenceTtl: (typeof fenceTtls)[number]
      readonly fence: number
      readonly mode: 'any' | 'only'
      readonly first: number
      readonly quarantine: (typeof quarantines)[number]
    }
  | {
      readonly kind: 'forceRelease'
      readonly keys: string[]
      readonly fenceTtl: (typeof fenceTtls)[number]
      readonly wanted: string
      readonly quarantine: (typeof quarantines)[number]
    }
  | {
      readonly kind: 'wakingRelease'
      readonly key: string
      readonly value: string
      readonly time: number
      readonly quarantine: (typeof quarantines)[number]
    }
  | { readonly kind: 'advance'; readonly time: number }
  | { readonly kind: 'lose'; readonly key: string }
  | { readonly kind: 'restart' }
  | { readonly kind: 'newHistory'; readonly history: ReplicationHistory | undefined }
  | { readonly kind: 'oldRecord' }
  | { readonly kind: 'set'; readonly key: string; readonly value: string }

const value = fc.constantFrom(
  'value-a',
  'value-b worker 7',
  'c',
  'c 2 ',
  'value-b',
  'значение',
  'ascii-€uro {"of":1}',
  // Of the form of a lock, as others are not.
  '1f0c7a52-0d1e-4b6e-9c4f-2a5d7e8b9c0d',
  '1f0c7a52-0d1e-4b6e-9c4f-2a5d7e8b9c0e wörker 7',
  '2a5d7e8b-0d1e-4b6e-9c4f-1f0c7a52',
)
const key = fc.constantFrom('l:1', 'l:2', 'l:3')

// Records with tokens below, at and above the counters, some of the same claim.
const record = fc.constantFrom(
  `value-a d 7 f {"status":201}`,
  `value-a d 1800000000000 f `,
  `value-b d 1800000000001 f ü€😀`,
  `value-b d 1800000004000 f a b`,
  `value-c d 9007199254735992 f x`,
  `1f0c7a52 d 1800000000002 f ü€😀`,
  `2a5d7e8b d 1800000004001 f a b`,
)

// The script asks the server for its clock and its run. The test sets both, on Redis and in memory.
const begin = 1_800_000_000_000

// Every ttl is an odd multiple of 5 s and time advances by multiples of 10 s, so that no key is read in
// the millisecond in which it expires: the two could disagree about that.
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      operation: fc.constantFrom<Operation>('a', 'a', 'a', 'e', 'e', 'i', 'r'),
      keys: fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
      value,
      time: fc.constantFrom(5_000, 15_000, 25_000, 3_605_000),
      fenceTtl: fc.constantFrom(...fenceTtls),
      // Equal to the clock, off by less and by more than the tolerance, and close to the largest number.
      fence: fc.constantFrom(
        0,
        ...[-90_000, -3_000, 0, 1, 4_000, 11_000, 26_000, 90_000].map((off) => begin + off),
        2 ** 53 - 5_000,
      ),
      quarantine: fc.constantFrom(...quarantines),
      withoutRunId: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      operation: fc.constantFrom<'a' | 'c'>('a', 'c', 'c'),
      key,
      value,
      time: fc.constantFrom(5_000, 15_000, 25_000, 3_605_000),
      fence: fc.constantFrom(
        0,
        ...[-3_000, 0, 1, 4_000, 11_000, 26_000].map((off) => begin + off),
        2 ** 53 - 5_000,
      ),
      record,
      quarantine: fc.constantFrom(...quarantines),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('slot' as const),
      keys: fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
      value,
      time: fc.constantFrom(5_000, 15_000, 25_000, 3_605_000),
      fenceTtl: fc.constantFrom(...fenceTtls),
      fence: fc.constantFrom(0, begin - 3_000, begin + 4_000, 2 ** 53 - 5_000),
      mode: fc.constantFrom<'any' | 'only'>('any', 'only'),
      first: fc.constantFrom(1, 2, 3),
      quarantine: fc.constantFrom(...quarantines),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('forceRelease' as const),
      keys: fc.uniqueArray(key, { minLength: 1, maxLength: 3 }),
      fenceTtl: fc.constantFrom(...fenceTtls),
      wanted: fc.constantFrom('value-a', 'value-b', 'value-b ', 'c', 'знач', '1f0c7a52'),
      quarantine: fc.constantFrom(...quarantines),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wakingRelease' as const),
      key,
      value,
      time: fc.constantFrom(5_000, 3_605_000),
      quarantine: fc.constantFrom(...quarantines),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      time: fc.constantFrom(10_000, 20_000, 3_600_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('lose' as const),
      key: fc.constantFrom('l:1', 'l:2', 'l:3', 'f:l:1', 'f:l:2', 'id', 'run'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('newHistory' as const),
      history: fc.constantFrom<ReplicationHistory | undefined>(
        undefined,
        ...[1, 2].flatMap((id) =>
          [true, false].map((isPromoted) => ({ id: `master_replid:${id}`, isPromoted })),
        ),
      ),
    }),
  },
  // The record of an earlier version.
  { weight: 1, arbitrary: fc.constant({ kind: 'oldRecord' as const }) },
  // A lock key that is set without the script.
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      key,
      value: fc.oneof(fc.constantFrom(' ', ' a b', 'a b', ''), record),
    }),
  },
)

const callOf = ({
  operation,
  keys,
  value,
  time,
  fence,
  quarantine,
  ...one
}: Extract<Step, { kind: 'run' }>): ScriptCall => {
  // An extend needs the keys of the fences.
  const fenceTtl = operation === 'e' && one.fenceTtl === '0' ? '12500' : one.fenceTtl
  const names = keys.flatMap((key) => (fenceTtl === '0' ? [key] : [key, `f:${key}`]))
  // The tombstone belongs to the value, without the metadata.
  const tombstone = `x:${value.split(' ')[0]}`
  return {
    script: lockScript,
    keys: [...names, tombstone, ...(quarantine ? ['id'] : [])],
    args: [operation, value, String(time), fenceTtl, String(fence), ...(quarantine ? ['one'] : [])],
  }
}

const recordCallOf = ({
  operation,
  key,
  value,
  time,
  fence,
  record: written,
  quarantine,
}: Extract<Step, { kind: 'record' }>): ScriptCall => ({
  script: recordScript,
  keys: [key, `f:${key}`, `x:${value.split(' ')[0]}`, ...(quarantine ? ['id'] : [])],
  args: [
    operation,
    value,
    String(time),
    '12500',
    String(fence),
    operation === 'c' ? written : '',
    ...(quarantine ? ['one'] : []),
  ],
})

const slotCallOf = ({
  keys,
  value,
  time,
  fenceTtl,
  fence,
  mode,
  first,
  quarantine,
}: Extract<Step, { kind: 'slot' }>): ScriptCall => {
  const names = keys.flatMap((key) => (fenceTtl === '0' ? [key] : [key, `f:${key}`]))
  const wanted = `${mode} ${Math.min(first, keys.length)}`
  const args = ['a', value, String(time), fenceTtl, String(fence), wanted]
  return {
    script: slotScript,
    keys: [...names, `x:${value.split(' ')[0]}`, ...(quarantine ? ['id'] : [])],
    args: [...args, ...(quarantine ? ['one'] : [])] as unknown as ScriptCall['args'],
  }
}

const forceReleaseCallOf = ({
  keys,
  fenceTtl,
  wanted,
  quarantine,
}: Extract<Step, { kind: 'forceRelease' }>): ScriptCall => {
  const names = keys.flatMap((key) => (fenceTtl === '0' ? [key] : [key, `f:${key}`]))
  const args = ['r', 'operator', '60000', fenceTtl, '0', wanted]
  return {
    script: forceReleaseScript,
    keys: [...names, 'x:operator', ...(quarantine ? ['id'] : [])],
    args: [...args, ...(quarantine ? ['one'] : [])] as unknown as ScriptCall['args'],
  }
}

/** Nobody waits: `wait-fuzz.slow.test.ts` compares the queues of waiters. */
const wakingReleaseCallOf = ({
  key,
  value,
  time,
  quarantine,
}: Extract<Step, { kind: 'wakingRelease' }>): ScriptCall => ({
  script: wakingReleaseScript,
  keys: ['q', key, `f:${key}`, `x:${value.split(' ')[0]}`, ...(quarantine ? ['id'] : [])],
  args: ['r', value, String(time), '12500', '0', ...(quarantine ? ['one'] : [])],
})

type Call = Extract<Step, { kind: 'run' | 'record' | 'slot' | 'forceRelease' | 'wakingRelease' }>

const isCall = (step: Step): step is Call =>
  ['run', 'record', 'slot', 'forceRelease', 'wakingRelease'].includes(step.kind)

const plainCallOf = (step: Call): ScriptCall => {
  if (step.kind === 'slot') return slotCallOf(step)
  if (step.kind === 'forceRelease') return forceReleaseCallOf(step)
  if (step.kind === 'wakingRelease') return wakingReleaseCallOf(step)
  return step.kind === 'record' ? recordCallOf(step) : callOf(step)
}

/** The call of a step, which may be that of a volatile node. */
const scriptCallOf = (step: Call): ScriptCall => {
  const { script, keys, args } = plainCallOf(step)
  const { quarantine } = step
  if (!quarantine) return { script, keys, args }
  const withoutRunId = step.kind === 'run' && step.withoutRunId ? '1' : ''
  return {
    script: volatileScript(script)!,
    keys: [...keys, 'run'],
    args: [...args, quarantine, withoutRunId],
  }
}

// The reply to a rejected command.
const rejection = `redis.error_reply('NOPERM')`

/** What INFO tells scripts of a server: of Redis 7.0 or later, of an earlier one, or of one that counts as later. */
const sectionsOfInfo = ['several', 'one', 'one, as 7.0'] as const

/** What a server refuses to scripts, and how many sections of INFO it tells at once. */
type Limits = {
  readonly rejects: readonly RejectedCommand[]
  readonly sections: (typeof sectionsOfInfo)[number]
}

/** What INFO reports of the run and the history that the test sets. */
const infoOf = ({ rejects, sections }: Limits): string => {
  if (rejects.includes('INFO')) return rejection
  return `(function(...)
${sections === 'several' ? '' : `if select('#',...)>1 then return ${rejection} end`}
local text=''
for _,section in ipairs({...})do
text=text..(section=='server'and'run_id:'..redis.call('GET','runs')or redis.call('GET','history')or'')..string.char(13,10)
end
return text
end)(...)`
}

/**
 * The script with a clock, a run and a history that the test sets, instead of those of the server, which may
 * refuse to tell them.
 */
const scriptOf = (source: string, limits: Limits): string => {
  const time = limits.rejects.includes('TIME') ? rejection : `{redis.call('GET','clock'),0}`
  return source
    .replaceAll(`redis.pcall('TIME')`, time)
    .replace('redis.REDIS_VERSION_NUM', limits.sections === 'one' ? 'nil' : '1')
    .replace(`redis.pcall('INFO',...)`, infoOf(limits))
}

const noHistory = '0'.repeat(40)

/** The lines of INFO about a history. */
const linesOf = ({ id, isPromoted }: ReplicationHistory): string =>
  `${id}\r\nmaster_replid2:${isPromoted ? `0${'a'.repeat(39)}` : noHistory}`

/** The record as earlier versions write it, without a history. */
const oldRecordOf = (record: string): string => record.split(' ', 2).join(' ')
const writeOldRecord = `local record=redis.call('GET','run')
if record then redis.call('SET','run',record:match('%S+ %d+'))end`

/** The script of slots, whose first command reads the slots. */
const timeless = (source: string): string => {
  const call = 'a,b=redis.call'
  if (!source.includes(call)) throw new Error('slot.lua reads its slots in another way')
  return source.replace(call, `a,b=${timelessCall}`)
}

/** Advances the clock of Redis and shortens the ttl of every key. */
const advance = `redis.call('INCRBY','clock',ARGV[1]/1000)
for _,key in ipairs(redis.call('KEYS','*'))do
local left=redis.call('PTTL',key)-tonumber(ARGV[1])
if redis.call('PTTL',key)<0 then
elseif left<=0 then redis.call('DEL',key)else redis.call('PEXPIRE',key,left)end
end`

/** Restarts Redis without data: the clock stays, the run changes, and no history is reported. */
const restart = `local clock,runs=redis.call('GET','clock')or ARGV[1],redis.call('GET','runs')or 0
redis.call('FLUSHALL')
redis.call('MSET','clock',clock,'runs',runs+1)`

/**
 * `redis.call` for the script of slots, which compares what slots have left. Real time passes between two
 * keys, even within one script of Redis 7.0, so this takes it back: every ttl is a multiple of 2.5 s.
 */
const timelessCall = `function(command,...)
local reply=redis.call(command,...)
if command=='PTTL'and reply>0 then reply=math.ceil(reply/2500)*2500 end
return reply
end`

/** Real time passes too while a sequence runs, so the remaining ttl is rounded up to the intended one. */
const rounded = (left: number): number => (left < 0 ? left : Math.ceil(left / 5_000) * 5_000)

const comparable = ({ kind }: Step, reply: unknown): unknown => {
  const { length } = reply as unknown[]
  const fields = parseReply(reply as ReplyTuple)
  // Of a slot, `left` says which one was granted.
  const isSlot = kind === 'slot' && fields.status === 'granted'
  // No metadata is the same as an empty text.
  const holder = fields.holder.replace(/^(h[^ ]*) $/, '$1')
  return { ...fields, holder, left: isSlot ? fields.left : rounded(fields.left), length }
}

describe('memory nodes and Redis', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis({ host: '127.0.0.1', port: server.port })
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })

  const onRedis = async (
    steps: readonly Step[],
    limits: Limits,
  ): Promise<{ replies: unknown[]; keys: unknown }> => {
    const pipeline = redis
      .pipeline()
      .flushall()
      .eval(restart, 0, begin / 1000)
    for (const one of steps) {
      if (one.kind === 'advance') pipeline.eval(advance, 0, one.time)
      else if (one.kind === 'lose') pipeline.del(one.key)
      else if (one.kind === 'restart') pipeline.eval(restart, 0)
      else if (one.kind === 'oldRecord') pipeline.eval(writeOldRecord, 0)
      else if (one.kind === 'newHistory') {
        if (one.history) pipeline.set('history', linesOf(one.history))
        else pipeline.del('history')
      } else if (one.kind === 'set') pipeline.set(one.key, one.value, 'PX', 15_000)
      else {
        const { script, keys, args } = scriptCallOf(one)
        const source = scriptOf(script.source, limits)
        const text = one.kind === 'slot' ? timeless(source) : source
        pipeline.eval(text, keys.length, ...keys, ...args)
      }
    }
    const results = (await pipeline.exec())!.slice(2)
    for (const [error] of results) if (error) throw error
    const replies = results.flatMap(([, reply], index) => {
      const step = steps[index]!
      return isCall(step) ? [comparable(step, reply)] : []
    })
    const names = (await redis.keys('*'))
      .filter((name) => !/^(clock|runs|history)$/.test(name))
      .sort()
    const keys = await Promise.all(
      names.map(async (name) => [name, await redis.get(name), rounded(await redis.pttl(name))]),
    )
    return { replies, keys }
  }

  const inMemory = (
    steps: readonly Step[],
    { rejects }: Limits,
  ): { replies: unknown[]; keys: unknown } => {
    let now = begin
    let runs = 1
    let history: ReplicationHistory | undefined
    const entries = new Map<string, MemoryEntry>()
    const server: MemoryServer = {
      entries,
      now: () => now,
      run: () => `run_id:${runs}`,
      history: () => history,
      rejects,
    }
    const replies: unknown[] = []
    for (const one of steps) {
      if (one.kind === 'advance') now += one.time
      else if (one.kind === 'lose') entries.delete(one.key)
      else if (one.kind === 'restart') {
        entries.clear()
        runs++
        history = undefined
      } else if (one.kind === 'newHistory') ({ history } = one)
      else if (one.kind === 'oldRecord') {
        const record = entries.get('run')
        if (record) entries.set('run', { ...record, value: oldRecordOf(record.value) })
      } else if (one.kind === 'set') {
        entries.set(one.key, { value: one.value, expiresAt: now + 15_000 })
      } else {
        const { script, keys, args } = scriptCallOf(one)
        replies.push(comparable(one, runScript(server, script, keys, args)))
      }
    }
    const keys = [...entries]
      .filter(([, { expiresAt }]) => now <= expiresAt)
      .map(([name, entry]) => [
        name,
        entry.value,
        // The PTTL of a key that does not expire is -1.
        entry.expiresAt === Infinity ? rounded(-1) : rounded(entry.expiresAt - now),
      ])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
    return { replies, keys }
  }

  it(`agree in ${sequences} random sequences of operations, expiry included`, async () => {
    let compared = 0
    const rejected = fc.oneof(
      { weight: 3, arbitrary: fc.constant<RejectedCommand[]>([]) },
      { weight: 1, arbitrary: fc.subarray<RejectedCommand>(['TIME', 'INFO'], { minLength: 1 }) },
    )
    const sections = fc.constantFrom(...sectionsOfInfo)
    const limited = fc.record({ rejects: rejected, sections })
    const sequence = fc.array(step, { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(sequence, limited, async (steps, limits) => {
        expect(inMemory(steps, limits)).toEqual(await onRedis(steps, limits))
        compared++
      }),
      { numRuns: sequences },
    )
    expect(compared).toBe(sequences)
  }, 120_000)
})
