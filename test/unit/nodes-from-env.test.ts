import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { fromEnv, inspect } from '../../src/index.ts'
import { memoryNodes } from '../../src/entries/testing.ts'
import { clientOf } from '../../src/client/redlock.ts'
import { nodesFromEnv } from '../../src/redis/nodes-from-env.ts'

const a = { url: 'https://a.example', token: 'ta' }
const b = { url: 'https://b.example', token: 'tb' }

describe('fromEnv', () => {
  it('prefers REDLOCK_NODES, as a string or as a JSON binding', () => {
    const env = { UPSTASH_REDIS_REST_URL: 'https://c.example', UPSTASH_REDIS_REST_TOKEN: 'tc' }
    expect(nodesFromEnv({ ...env, REDLOCK_NODES: JSON.stringify([a, b]) })).toEqual([a, b])
    expect(nodesFromEnv({ ...env, REDLOCK_NODES: [a, b] })).toEqual([a, b])
  })

  const json = JSON.stringify([a, b])
  const escaped = json.replaceAll('"', String.raw`\"`)

  it.each([
    ['in double quotes, as Docker keeps them', `"${json}"`],
    ['in single quotes', `'${json}'`],
    ['with escaped quotes', escaped],
    ['in double quotes with escaped quotes', `"${escaped}"`],
    ['as JSON in JSON', JSON.stringify(json)],
    ['with white space around', ` \t${json}\r\n`],
    ['on several lines', JSON.stringify([a, b], null, 2)],
  ])('reads REDLOCK_NODES %s, once for all calls', (_, text) => {
    expect(nodesFromEnv({ REDLOCK_NODES: text })).toEqual([a, b])
    expect(fromEnv({ REDLOCK_NODES: text })).toBe(fromEnv({ REDLOCK_NODES: text }))
  })

  it.each([
    ['[{', 'breaks off after character 2;'],
    ['[{\\', 'breaks at character 3 of 3;'],
    ['[', 'breaks off after character 1;'],
    ['[{"url":"https://a.example","token":"t', 'breaks at character 37 of 38;'],
    ["[{'url':'https://a.example'}]", 'breaks at character 3 of 29;'],
    ['[{"url":"https://a.example"},]', 'has a wrong comma, colon or bracket;'],
    ['https://a.example', 'breaks at character 1 of 17;'],
  ])('says where %s is no JSON, even beside other variables', (text, where) => {
    const env = { UPSTASH_REDIS_REST_URL: a.url, UPSTASH_REDIS_REST_TOKEN: a.token }
    expect(() => nodesFromEnv({ ...env, REDLOCK_NODES: text })).toThrow(where)
  })

  it('looks at long text in no time', () => {
    for (const text of ['[{"'.repeat(30_000), '1'.repeat(90_000) + '?', '"\\'.repeat(40_000)]) {
      const start = performance.now()
      expect(() => nodesFromEnv({ REDLOCK_NODES: text })).toThrow('`REDLOCK_NODES`')
      expect(performance.now() - start).toBeLessThan(500)
    }
  })

  it('reads Upstash variables with and without a number', () => {
    const env = {
      UPSTASH_REDIS_REST_URL: 'https://c.example',
      UPSTASH_REDIS_REST_TOKEN: 'tc',
      UPSTASH_REDIS_REST_URL_1: a.url,
      UPSTASH_REDIS_REST_TOKEN_1: a.token,
      UPSTASH_REDIS_REST_URL_2: b.url,
      UPSTASH_REDIS_REST_TOKEN_2: b.token,
    }
    expect(nodesFromEnv(env)).toEqual([{ url: 'https://c.example', token: 'tc' }, a, b])
  })

  const numbered = (prefix: string, numbers: readonly string[]): Record<string, string> =>
    Object.fromEntries(
      numbers.flatMap((number) => [
        [`${prefix}URL${number}`, `https://node${number}.example`],
        [`${prefix}TOKEN${number}`, 'secret'],
      ]),
    )

  it.each([
    ['UPSTASH_REDIS_REST_', ['_1', '_3', '_4'], '_2', '_3'],
    ['UPSTASH_REDIS_REST_', ['', '_2', '_3'], '_1', '_2'],
    ['UPSTASH_REDIS_REST_', ['', '_1', '_3'], '_2', '_3'],
    ['UPSTASH_REDIS_REST_', ['_2'], '_1', '_2'],
    ['KV_REST_API_', ['_1', '_12'], '_2', '_12'],
  ])('names the missing number: %s %s', (prefix, numbers, missing, last) => {
    expect(() => nodesFromEnv(numbered(prefix, numbers))).toThrow(
      `\`${prefix}URL${missing}\` must be set, as ${prefix}URL${last} is`,
    )
  })

  it.each([
    ['UPSTASH_REDIS_REST_', ['_0', '_1', '_2'], 3],
    ['KV_REST_API_', ['_0'], 1],
    ['KV_REST_API_', ['', '_0', '_1'], 3],
  ])('reads numbers from 0: %s %s', (prefix, numbers, count) => {
    expect(nodesFromEnv(numbered(prefix, numbers))).toHaveLength(count)
  })

  it.each([
    [['', '_0', '_2'], 'UPSTASH_REDIS_REST_URL_1'],
    [['_0', '_2'], 'UPSTASH_REDIS_REST_URL_1'],
    [['_1', '_40'], 'UPSTASH_REDIS_REST_URL_2'],
    [['_40'], 'UPSTASH_REDIS_REST_URL_1'],
  ])('never leaves out a variable that is set: %s', (numbers, named) => {
    expect(() => nodesFromEnv(numbered('UPSTASH_REDIS_REST_', numbers))).toThrow(`\`${named}\``)
  })

  it('either uses every variable that is set, or names one that is missing', () => {
    const prefix = fc.constantFrom('UPSTASH_REDIS_REST_', 'KV_REST_API_', 'EU_KV_REST_API_')
    const suffix = fc.oneof(
      fc.constant(''),
      fc.nat(5).map((number) => `_${number}`),
      fc.nat(60).map((number) => `_${number}`),
    )
    const variables = fc.uniqueArray(fc.tuple(fc.constantFrom('URL', 'TOKEN'), suffix), {
      maxLength: 14,
      selector: String,
    })
    const complete = fc
      .uniqueArray(suffix, { maxLength: 6 })
      .map((suffixes) =>
        suffixes.flatMap((one) => ['URL', 'TOKEN'].map((kind) => [kind, one] as const)),
      )
    fc.assert(
      fc.property(prefix, fc.oneof(variables, complete), (prefix, set) => {
        const env = Object.fromEntries(
          set.map(([kind, suffix]) => [
            `${prefix}${kind}${suffix}`,
            kind === 'URL' ? `https://node${suffix}.example` : `token${suffix}`,
          ]),
        )
        let nodes
        try {
          nodes = nodesFromEnv(env)
        } catch (error) {
          const [, name] = /^`(\w+)` must be /.exec((error as Error).message)!
          if (name === 'REDLOCK_NODES') expect(env).toEqual({})
          else expect(env).not.toHaveProperty(name!)
          return
        }
        expect(nodes).toHaveLength(Object.keys(env).length / 2)
        for (const { url, token } of nodes) {
          expect(token).toBe(url.replace(/^https:..node(.*).example$/, 'token$1'))
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('reads variables that cannot be listed, and ignores suffixes that are not numbers', () => {
    const env = numbered('UPSTASH_REDIS_REST_', ['', '_1', '_2'])
    expect(nodesFromEnv(Object.create(env) as typeof env)).toHaveLength(3)
    const others = numbered('UPSTASH_REDIS_REST_', ['_20240101', '_04', '_x'])
    expect(nodesFromEnv({ ...env, ...others })).toHaveLength(3)
    const unlisted = new Proxy(env, {
      ownKeys: () => {
        throw new Error('NotCapable')
      },
    })
    expect(nodesFromEnv(unlisted)).toHaveLength(3)
  })

  it('names the missing url or token', () => {
    const { UPSTASH_REDIS_REST_TOKEN_2: _, ...env } = numbered('UPSTASH_REDIS_REST_', ['_1', '_2'])
    expect(() => nodesFromEnv(env)).toThrow('`UPSTASH_REDIS_REST_TOKEN_2` must be set')
    // An empty variable counts as not set.
    expect(() => nodesFromEnv({ ...env, UPSTASH_REDIS_REST_URL_2: '' })).not.toThrow()
  })

  it('reads the variables of Vercel KV last', () => {
    const env = { KV_REST_API_URL: a.url, KV_REST_API_TOKEN: a.token }
    expect(nodesFromEnv(env)).toEqual([a])
  })

  describe('of the Vercel Marketplace', () => {
    /** What Vercel sets for a database whose variables have this prefix. */
    const database = (prefix: string): Record<string, string> => {
      const name = prefix.toLowerCase().replace('_', '')
      return {
        [`${prefix}KV_REST_API_URL`]: `https://${name}.example`,
        [`${prefix}KV_REST_API_TOKEN`]: `token-${name}`,
        [`${prefix}KV_REST_API_READ_ONLY_TOKEN`]: `reader-${name}`,
        [`${prefix}KV_URL`]: `rediss://default:secret@${name}.example:6379`,
        [`${prefix}REDIS_URL`]: `rediss://default:secret@${name}.example:6379`,
      }
    }
    const node = (name: string) => ({ url: `https://${name}.example`, token: `token-${name}` })

    it.each([
      [['EU_'], ['eu']],
      [
        ['EU_', 'US_'],
        ['eu', 'us'],
      ],
      [
        ['US_', 'EU_', 'AP_'],
        ['ap', 'eu', 'us'],
      ],
    ])('reads databases with the prefixes %s, in alphabetical order', (prefixes, names) => {
      const env = Object.assign({}, ...prefixes.map(database)) as object
      expect(nodesFromEnv(env)).toEqual(names.map(node))
    })

    it('reads one without a prefix together with the others', () => {
      const env = { ...database('US_'), ...database(''), ...database('EU_') }
      expect(nodesFromEnv(env)).toEqual([node('eu'), node(''), node('us')])
    })

    it('reads numbers after a prefix', () => {
      const env = {
        LOCKS_KV_REST_API_URL_1: a.url,
        LOCKS_KV_REST_API_TOKEN_1: a.token,
        LOCKS_KV_REST_API_URL_2: b.url,
        LOCKS_KV_REST_API_TOKEN_2: b.token,
      }
      expect(nodesFromEnv(env)).toEqual([a, b])
    })

    it.each(['EU_KV_REST_API_URL', 'US_KV_REST_API_TOKEN', 'KV_REST_API_TOKEN'])(
      'names %s if only that is missing',
      (missing) => {
        const all = { ...database(''), ...database('EU_'), ...database('US_') }
        const { [missing]: _, ...env } = all
        const isUrl = missing.endsWith('URL')
        const given = isUrl ? missing.replace('URL', 'TOKEN') : missing.replace('TOKEN', 'URL')
        const message = `\`${missing}\` must be set, as ${given} is`
        expect(() => nodesFromEnv(env)).toThrow(message)
        expect(() => nodesFromEnv({ ...all, [missing]: '' })).toThrow(message)
      },
    )

    it('takes no token that may only read', () => {
      const env = { EU_KV_REST_API_URL: a.url, EU_KV_REST_API_READ_ONLY_TOKEN: 'reader' }
      expect(() => nodesFromEnv(env)).toThrow('`EU_KV_REST_API_TOKEN` must be set')
      const alone = { EU_KV_REST_API_READ_ONLY_TOKEN: 'reader' }
      expect(() => nodesFromEnv(alone)).toThrow('`REDLOCK_NODES` must be ')
    })

    it('counts a pair of empty variables as not set', () => {
      const env = { ...database('EU_'), US_KV_REST_API_URL: '', US_KV_REST_API_TOKEN: '' }
      expect(nodesFromEnv(env)).toEqual([node('eu')])
    })

    it('comes after REDLOCK_NODES and the variables of Upstash', () => {
      const upstash = { UPSTASH_REDIS_REST_URL: a.url, UPSTASH_REDIS_REST_TOKEN: a.token }
      expect(nodesFromEnv({ ...database('EU_'), ...upstash })).toEqual([a])
      expect(nodesFromEnv({ ...database('EU_'), REDLOCK_NODES: [b] })).toEqual([b])
    })

    it('reads the pair without a prefix where variables cannot be listed', () => {
      const env = new Proxy(database(''), {
        ownKeys: () => {
          throw new Error('NotCapable')
        },
      })
      expect(nodesFromEnv(env)).toEqual([node('')])
    })
  })

  it('reads process.env by default', () => {
    vi.stubEnv('REDLOCK_NODES', JSON.stringify([a]))
    try {
      expect(nodesFromEnv()).toEqual([a])
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it.each([
    ['REDLOCK_NODES', {}],
    ['REDLOCK_NODES', { REDLOCK_NODES: '{"url":"secret"}' }],
    ['REDLOCK_NODES', { REDLOCK_NODES: 'secret' }],
    ['UPSTASH_REDIS_REST_TOKEN_1', { UPSTASH_REDIS_REST_URL_1: a.url }],
    ['KV_REST_API_URL', { KV_REST_API_TOKEN: 'secret' }],
    ['nodes[0].token', { REDLOCK_NODES: '[{"url":"https://a.example"}]' }],
  ])('names %s in %o', (option, env) => {
    expect(() => fromEnv(env)).toThrow(`\`${option}\` must be `)
    expect(() => fromEnv(env)).toThrow(expect.not.stringContaining('secret') as string)
  })

  /** The servers that a `Redlock` of these environments asks, with their tokens. */
  const askedBy = async (env: object): Promise<string[]> => {
    const asked: string[] = []
    vi.stubGlobal('fetch', async (url: string, { headers }: RequestInit) => {
      asked.push(`${url} ${new Headers(headers).get('authorization')}`)
      throw new Error('rejected')
    })
    try {
      await inspect(fromEnv(env, { warnings: false }), 'a')
    } finally {
      vi.unstubAllGlobals()
    }
    return asked
  }

  it('asks the nodes of its own list, with its tokens', async () => {
    const other = { ...b, token: 'other' }
    for (const list of [[a, b], [a, other], [b], [a, b]]) {
      const asked = await askedBy({ REDLOCK_NODES: JSON.stringify(list) })
      expect(asked.toSorted()).toEqual(list.map(({ url, token }) => `${url} Bearer ${token}`))
    }
  })

  it.each(['null', '0', 'false', '""', ''])(
    'asks the nodes of its own variables where the list is %j',
    async (text) => {
      for (const { url, token } of [a, b]) {
        const env = { UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token }
        const asked = await askedBy({ ...env, REDLOCK_NODES: text })
        expect(asked).toEqual([`${url} Bearer ${token}`])
      }
    },
  )

  it('accepts all other options as its second argument', () => {
    expect(() => fromEnv({ REDLOCK_NODES: [a] }, { ttl: 0 })).toThrow('`ttl`')
  })
})

describe('the `Redlock` that fromEnv makes', () => {
  const env = { REDLOCK_NODES: JSON.stringify([a, b]) }

  it('is the same for each request of a Worker', () => {
    const onEvent = (): void => {}
    const first = fromEnv({ ...env }, { ttl: 5_000, warnings: false, onEvent })
    expect(fromEnv({ ...env }, { ttl: 5_000, warnings: false, onEvent })).toBe(first)
  })

  const numbered = {
    DB: {},
    UPSTASH_REDIS_REST_URL_1: a.url,
    UPSTASH_REDIS_REST_TOKEN_1: a.token,
    UPSTASH_REDIS_REST_URL_2: b.url,
    UPSTASH_REDIS_REST_TOKEN_2: b.token,
  }

  it('is the same where each node has its variables', () => {
    const first = fromEnv({ ...numbered }, { warnings: false })
    expect(fromEnv({ ...numbered }, { warnings: false })).toBe(first)
  })

  it.each<[string, object]>([
    ['another token', { UPSTASH_REDIS_REST_TOKEN_2: 'another' }],
    [
      'one node more',
      { UPSTASH_REDIS_REST_URL_3: 'https://c.example', UPSTASH_REDIS_REST_TOKEN_3: 'tc' },
    ],
    ['a list', { REDLOCK_NODES: JSON.stringify([a, b]) }],
  ])('is another one with %s', (_, more) => {
    const env = { ...numbered }
    const first = fromEnv(env, { warnings: false })
    // Also in the same object.
    expect(fromEnv(Object.assign(env, more), { warnings: false })).not.toBe(first)
  })

  class Config {
    readonly #url: string
    readonly NODE_ENV = 'test'
    constructor(url: string) {
      this.#url = url
    }
    get UPSTASH_REDIS_REST_URL(): string {
      return this.#url
    }
    get UPSTASH_REDIS_REST_TOKEN(): string {
      return 'secret'
    }
  }
  const variables = (url: string) => ({
    UPSTASH_REDIS_REST_URL: url,
    UPSTASH_REDIS_REST_TOKEN: 'secret',
  })
  it.each<[string, (url: string) => object]>([
    ['inherited', (url) => Object.create(variables(url)) as object],
    [
      'inherited, beside others',
      (url) => Object.assign(Object.create(variables(url)) as object, { NODE_ENV: 'test' }),
    ],
    ['computed', (url) => new Config(url)],
    [
      'those of a proxy',
      (url) =>
        new Proxy({}, { get: (_, name) => variables(url)[name as 'UPSTASH_REDIS_REST_URL'] }),
    ],
    [
      'those of a proxy, beside others',
      (url) =>
        new Proxy<Record<string, string>>(
          { NODE_ENV: 'test' },
          { get: (own, name) => own[name as string] ?? Reflect.get(variables(url), name) },
        ),
    ],
  ])('is that of its own variables where they are %s', async (_, env) => {
    for (const url of ['https://a.example', 'https://b.example', 'https://a.example']) {
      const { nodes } = clientOf(fromEnv(env(url), { warnings: false }))
      expect(nodes.map(({ name }) => name)).toEqual([url])
    }
    expect(() => fromEnv({})).toThrow('REDLOCK_NODES')
    expect(() => fromEnv(null as never)).toThrow('`env`')
  })

  it('does not take a variable for an option', () => {
    const first = fromEnv({ ...numbered, ttl: 5_000 }, { warnings: false })
    expect(fromEnv(numbered, { ttl: 5_000, warnings: false })).not.toBe(first)
  })

  it.each<[string, object, object]>([
    ['another option', env, { warnings: false, ttl: 6_000 }],
    ['one option less', env, { warnings: false }],
    ['one option more', env, { warnings: false, ttl: 5_000, prefix: 'mine:' }],
    ['other nodes', { REDLOCK_NODES: JSON.stringify([b]) }, { warnings: false, ttl: 5_000 }],
  ])('is another one with %s', (_, other, options) => {
    const first = fromEnv(env, { warnings: false, ttl: 5_000 })
    expect(fromEnv(other, options)).not.toBe(first)
  })

  it.each([
    ['text', 'ttl'],
    ['an array', []],
    ['null', null],
    ['an unknown option', { tttl: 5_000 }],
  ])('is rejected with %s as options, also after a good call', (_, options) => {
    fromEnv(env)
    expect(() => fromEnv(env, options as object)).toThrow(/options|tttl/)
  })

  it('is a new one where the list does not name the servers', () => {
    const nodes = { REDLOCK_NODES: memoryNodes(1) }
    expect(fromEnv(nodes)).not.toBe(fromEnv(nodes))
  })
})
