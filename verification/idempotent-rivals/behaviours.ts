import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../../tools/servers/cluster.ts'
import type { Answer, Feature, Instance, Received, Setup } from './contestant.ts'

const count = (number: number, word: string): string =>
  `${number} ${word}${number === 1 ? '' : 's'}`

/** The test bed of a behavior: instances of one library, and a handler that counts its runs. */
type Bed = {
  readonly cluster: Cluster
  readonly key: string
  /** Another process with the library. */
  readonly open: (handler?: () => Promise<Answer>) => Promise<Instance>
  /** How often any handler has begun. */
  readonly runs: () => number
  /** Resolves once any handler has begun. */
  readonly begun: () => Promise<void>
  /** The default handler: each run returns a different answer. */
  readonly answer: () => Promise<Answer>
}

export type Observation = { readonly isMet: boolean; readonly saw: string }

export type Behaviour = {
  readonly id: string
  readonly title: string
  readonly test: string
  readonly needs?: Feature
  readonly about?: Setup['about']
  readonly run: (bed: Bed) => Promise<Observation>
}

export const times = { claimTtl: 2_000, recordTtl: 4_000 }
// Ms after which a request counts as hanging.
const patience = 15_000

const textOf = ({ body }: Received): string => Buffer.from(body).toString('latin1')

const within = async (work: Promise<Received>): Promise<Received | 'no answer'> =>
  Promise.race([work, sleep(patience, 'no answer' as const, { ref: false })])

/** Sends again until the answer is not a rejection, up to a limit in ms. */
const sendUntil = async (
  instance: Instance,
  key: string,
  limit: number,
): Promise<Received | undefined> => {
  const end = Date.now() + limit
  while (Date.now() < end) {
    const received = await within(instance.send({ key }))
    if (received !== 'no answer' && received.status < 300) return received
    await sleep(100)
  }
  return undefined
}

const gate = () => {
  let open!: () => void
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

const same = (answers: readonly Received[]): boolean =>
  new Set(answers.map((one) => `${one.status} ${textOf(one)}`)).size === 1

export const behaviours: readonly Behaviour[] = [
  {
    id: 'sequential',
    title: 'A repeated request gets the same answer',
    test: 'The request is sent twice, one after the other.',
    run: async ({ open, key, runs }) => {
      const instance = await open()
      const answers = [await instance.send({ key }), await instance.send({ key })]
      const isMet = runs() === 1 && same(answers)
      return {
        isMet,
        saw: `${count(runs(), 'run')}, ${same(answers) ? 'equal' : 'different'} answers (${answers.map(({ status }) => status).join()})`,
      }
    },
  },
  {
    id: 'concurrent',
    title: 'Ten concurrent duplicates in one process run once',
    test: 'Ten requests at once, sent again while they are refused.',
    run: async ({ open, key, runs }) => {
      const instance = await open()
      await Promise.all(Array.from({ length: 10 }, () => sendUntil(instance, key, 5_000)))
      return { isMet: runs() === 1, saw: count(runs(), 'run') }
    },
  },
  {
    id: 'processes',
    title: 'Ten concurrent duplicates over ten processes run once, with one answer',
    test: 'Ten instances, a request each at once, sent again while it is refused.',
    needs: 'shared store',
    run: async ({ open, key, runs }) => {
      const instances = await Promise.all(Array.from({ length: 10 }, () => open()))
      const all = await Promise.all(instances.map((one) => sendUntil(one, key, 8_000)))
      const answers = all.filter((one) => one !== undefined)
      const isMet = runs() === 1 && answers.length === 10 && same(answers)
      return { isMet, saw: `${count(runs(), 'run')}, ${answers.length} answers` }
    },
  },
  {
    id: 'binary',
    title: 'A binary body is replayed byte by byte',
    test: 'A body of all 256 bytes.',
    run: async ({ open, key }) => {
      const body = Uint8Array.from({ length: 256 }, (_, index) => index)
      const instance = await open(async () => ({ status: 200, body }))
      await instance.send({ key })
      const replay = await instance.send({ key })
      const isMet = Buffer.compare(replay.body, body) === 0
      return { isMet, saw: isMet ? 'the same bytes' : `${replay.body.length} other bytes` }
    },
  },
  {
    id: 'headers',
    title: 'A replay has the status and the location of the first answer',
    test: 'A 201 with location.',
    run: async ({ open, key, answer }) => {
      const instance = await open(async () => ({
        ...(await answer()),
        headers: { location: '/orders/1' },
      }))
      await instance.send({ key })
      const { status, headers } = await instance.send({ key })
      const isMet = status === 201 && headers.get('location') === '/orders/1'
      return { isMet, saw: `${status}, ${headers.get('location')}` }
    },
  },
  {
    id: 'cookies',
    title: 'A replay sets no cookie of the first client',
    test: 'The first answer has set-cookie.',
    run: async ({ open, key, answer }) => {
      const instance = await open(async () => ({
        ...(await answer()),
        headers: { 'set-cookie': 'session=1' },
      }))
      await instance.send({ key })
      const cookie = (await instance.send({ key })).headers.get('set-cookie')
      return { isMet: cookie === null, saw: cookie ?? 'no cookie' }
    },
  },
  {
    id: 'payload',
    title: 'Another payload under the same key is refused, and the same one replayed',
    test: 'The second request has the same body, the third another one.',
    about: 'payload',
    run: async ({ open, key, runs }) => {
      const instance = await open()
      await instance.send({ key, body: 'a' })
      const again = await instance.send({ key, body: 'a' })
      const other = await instance.send({ key, body: 'b' })
      const isRefused = other.status >= 400 && other.status < 500
      const isMet = again.status === 201 && isRefused && runs() === 1
      return { isMet, saw: `${again.status} to the same, ${other.status} to the other` }
    },
  },
  {
    id: 'payload-in-flight',
    about: 'payload',
    title: 'Another payload is distinguished from the same one while the request is in flight',
    test: 'The second request has another body, and comes while the first is being processed.',
    run: async ({ open, key, answer, begun }) => {
      const { open: finish, opened } = gate()
      const instance = await open(async () => {
        await opened
        return answer()
      })
      const first = instance.send({ key, body: 'a' })
      await begun()
      const [again, other] = [
        await within(instance.send({ key, body: 'a' })),
        await within(instance.send({ key, body: 'b' })),
      ]
      finish()
      await first
      const [a, b] = [again, other].map((one) => (one === 'no answer' ? 0 : one.status))
      return { isMet: a !== b && a! >= 400 && b! >= 400, saw: `${a} and ${b}` }
    },
  },
  {
    id: 'tenants',
    about: 'users',
    title: 'Two users with the same key get their own answers',
    test: 'Both send the same body to the same path.',
    run: async ({ open, key }) => {
      const instance = await open()
      const one = await instance.send({ key, user: 'ada' })
      const two = await instance.send({ key, user: 'bob' })
      const isMet = two.status < 300 && textOf(one) !== textOf(two)
      return { isMet, saw: isMet ? 'two answers' : `the answer of the other (${two.status})` }
    },
  },
  {
    id: 'no-key',
    title: 'A request without a key can be refused',
    test: 'No header, where a key is required.',
    needs: 'required key',
    run: async ({ open, runs }) => {
      const instance = await open()
      const { status } = await instance.send({})
      return { isMet: status >= 400 && runs() === 0, saw: `${status}, ${count(runs(), 'run')}` }
    },
  },
  {
    id: 'failure',
    title: 'A request whose handler fails can run again at once',
    test: 'The first run throws.',
    run: async ({ open, key, answer, runs }) => {
      const instance = await open(async () => {
        const result = await answer()
        if (runs() === 1) throw new Error('failed')
        return result
      })
      await instance.send({ key })
      const { status } = await instance.send({ key })
      return {
        isMet: status === 201 && runs() === 2,
        saw: `${status} after ${count(runs(), 'run')}`,
      }
    },
  },
  {
    id: 'crash',
    title: 'A crash while in flight blocks the key for no longer than the claim lives',
    test: 'A process loses the store while its handler runs, and never comes back. Another one tries for 10 s; a claim lives 2 s.',
    needs: 'shared store',
    run: async ({ open, key, runs, begun }) => {
      const dead = await open(() => new Promise(() => {}))
      void dead.send({ key })
      await begun()
      dead.cut()
      const crashedAt = Date.now()
      const answer = await sendUntil(await open(), key, 10_000)
      const saw = answer
        ? `ran after ${Math.round((Date.now() - crashedAt) / 100) / 10} s`
        : 'blocked'
      return { isMet: answer !== undefined && runs() === 1, saw }
    },
  },
  {
    id: 'long',
    title: 'A handler that takes longer than a claim lives still runs once',
    test: 'The handler takes 5 s, a claim lives 2 s, and a duplicate comes after 3 s.',
    needs: 'shared store',
    run: async ({ open, key, runs, answer, begun }) => {
      const slow = await open(async () => {
        const result = await answer()
        await sleep(5_000)
        return result
      })
      const first = slow.send({ key })
      await begun()
      await sleep(3_000)
      const second = await sendUntil(await open(), key, 6_000)
      const isMet = runs() === 1 && textOf(await first) === (second && textOf(second))
      return { isMet, saw: count(runs(), 'run') }
    },
  },
  ...(['stale', 'stale-answer'] as const).map((id): Behaviour => ({
    id,
    title:
      id === 'stale'
        ? 'A late completion of a stale run does not replace the recorded answer'
        : 'The client of a stale run gets the answer that was recorded',
    test: 'A process stands still until another one has run and answered, and then completes.',
    needs: 'shared store',
    run: async ({ open, key, begun }) => {
      const { open: finish, opened } = gate()
      const stale = await open(async () => {
        await opened
        return { status: 201, body: Buffer.from('stale') }
      })
      const first = stale.send({ key })
      await begun()
      stale.cut()
      const other = await open()
      const second = await sendUntil(other, key, 8_000)
      if (!second) return { isMet: false, saw: 'the second request was blocked' }
      stale.mend()
      finish()
      const late = await within(first)
      const later = await other.send({ key })
      if (id === 'stale') {
        const isMet = textOf(later) === textOf(second)
        return { isMet, saw: isMet ? 'the recorded answer stayed' : 'it was replaced' }
      }
      const got = late === 'no answer' ? late : textOf(late)
      return {
        isMet: got === textOf(second),
        saw: got === textOf(second) ? 'the recorded one' : got,
      }
    },
  })),
  {
    id: 'outage',
    title: 'Nothing runs unprotected while the store refuses',
    test: 'The store refuses all commands.',
    needs: 'shared store',
    run: async ({ open, key, runs }) => {
      const instance = await open()
      instance.refuse()
      const received = await within(instance.send({ key }))
      const saw = received === 'no answer' ? received : `${received.status}`
      return { isMet: runs() === 0 && saw !== 'no answer' && saw !== '201', saw }
    },
  },
  {
    id: 'hang',
    title: 'A store that hangs gets an answer within 15 s',
    test: 'The store does not answer any command.',
    needs: 'shared store',
    run: async ({ open, key, runs }) => {
      const instance = await open()
      instance.cut()
      const received = await within(instance.send({ key }))
      instance.mend()
      const saw = received === 'no answer' ? received : `${received.status}`
      return { isMet: runs() === 0 && saw !== 'no answer' && saw !== '201', saw }
    },
  },
  {
    id: 'server-loss',
    title: 'An answer survives the loss of a server with its data',
    test: 'The first server is emptied, as after a restart without persistence.',
    needs: 'several servers',
    run: async ({ open, key, cluster, runs }) => {
      const instance = await open()
      const first = await instance.send({ key })
      await cluster.nodes[0]!.redis!.crash()
      await cluster.nodes[0]!.redis!.restart()
      const again = await sendUntil(instance, key, 5_000)
      const isMet = runs() === 1 && again !== undefined && textOf(again) === textOf(first)
      return { isMet, saw: count(runs(), 'run') }
    },
  },
  {
    id: 'expiry',
    title: 'A key is free again once its answer has expired',
    test: 'Answers are kept for 4 s; the request is sent again after 6 s.',
    needs: 'expiry',
    run: async ({ open, key, runs }) => {
      const instance = await open()
      await instance.send({ key })
      await sleep(6_000)
      const { status } = await instance.send({ key })
      return { isMet: runs() === 2 && status === 201, saw: count(runs(), 'run') }
    },
  },
]
