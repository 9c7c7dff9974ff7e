import { describe, expect, inject, it, vi } from 'vitest'
import { run } from './run-doctor.ts'

// Each test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const REDLOCK_NODES = inject('REDLOCK_NODES')
const [first] = JSON.parse(REDLOCK_NODES) as { url: string; token: string }[]
const { url, token } = first!
const upstash = `UPSTASH_REDIS_REST_URL=${url}\nUPSTASH_REDIS_REST_TOKEN="${token}"\n`

const sourceOf = async (
  files: Record<string, string>,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<unknown> => {
  const { stdout, stderr } = await run(['doctor', '--json', ...args], { env, files })
  expect(stderr).toBe('')
  const { source, nodes } = JSON.parse(stdout) as { source: string; nodes: { node: string }[] }
  return [source, nodes.length]
}

describe('the command line', () => {
  it('reads the environment, .dev.vars, .env.local, .env or another file, but never two of them', async () => {
    const five = { '.dev.vars': `REDLOCK_NODES='${REDLOCK_NODES}'\n` }
    const one = { '.env': upstash }
    expect(await sourceOf(one)).toEqual(['.env', 1])
    expect(await sourceOf({ ...five, ...one })).toEqual(['.dev.vars', 5])
    expect(await sourceOf({ '.dev.vars': 'OTHER=1\n', ...one })).toEqual(['.env', 1])
    const local = { '.env.local': five['.dev.vars'] }
    expect(await sourceOf({ ...one, ...local })).toEqual(['.env.local', 5])
    expect(await sourceOf({ ...five, ...one }, ['--from', '.env'])).toEqual(['.env', 1])
    const marketplace = `EU_KV_REST_API_URL=${url}\nEU_KV_REST_API_TOKEN="${token}"\n`
    expect(await sourceOf({ '.env': marketplace })).toEqual(['.env', 1])
    expect(await sourceOf(one, [], { REDLOCK_NODES })).toEqual(['the environment', 5])
    for (const option of ['--from=a.txt', '--env-file=a.txt']) {
      expect(await sourceOf({ 'a.txt': upstash }, [option])).toEqual(['a.txt', 1])
    }
  })

  it('reads REDLOCK_NODES of a file as `vercel env pull` writes it, and as other readers do', async () => {
    const escaped = REDLOCK_NODES.replaceAll('"', String.raw`\"`)
    expect(await sourceOf({ '.env': `\uFEFFREDLOCK_NODES='${REDLOCK_NODES}'\n` })).toEqual([
      '.env',
      5,
    ])
    const lines = [
      `REDLOCK_NODES="${REDLOCK_NODES}"`,
      `REDLOCK_NODES="${escaped}"`,
      `export REDLOCK_NODES = "${REDLOCK_NODES}" # the nodes`,
      `REDLOCK_NODES="[{"url":"x"}]"\nREDLOCK_NODES="${REDLOCK_NODES}"\r\nOTHER="1"`,
      `REDLOCK_NODES=${REDLOCK_NODES}`,
    ]
    for (const line of lines) {
      const text = `# Created by Vercel CLI\nOTHER="{"a":1}"\n${line}\n`
      expect(await sourceOf({ '.env': text })).toEqual(['.env', 5])
    }
  })

  it('exits with 2 and says what is wrong where it cannot check anything', async () => {
    const secret = `${token}-of-nobody`
    const cases: [args: string[], files: Record<string, string>, message: string | RegExp][] = [
      [['doctor'], {}, 'No nodes found. Set REDLOCK_NODES, or UPSTASH_REDIS_REST_URL and'],
      [['doctor', '--from', 'x'], {}, 'Cannot read x: there is no such file'],
      [['doctor'], { '.env': 'UPSTASH_REDIS_REST_URL=https://a.example' }, /TOKEN/],
      [['doctor'], { '.env': `REDLOCK_NODES=[{"token":"${secret}"}]` }, /`nodes\[0\]\.url`/],
      [['doctor'], { '.env': `REDLOCK_NODES='{${secret}'` }, /`REDLOCK_NODES`/],
      [
        ['doctor'],
        { '.env': `REDLOCK_NODES="[\n{"url":"x"}\n]"` },
        /breaks off after character 3;/,
      ],
      [['doctor', '--jsn'], { '.env': upstash }, /--jsn/],
      [['doctor', '--max-ttl', '1m'], { '.env': upstash }, '--max-ttl must be a whole number'],
      [['doctr'], { '.env': upstash }, 'There is no command "doctr"'],
      [
        ['doctor'],
        { '.env': `REDLOCK_NODES='${JSON.stringify([{ url, token: secret, volatile: true }])}'` },
        'A node is volatile: pass --max-ttl',
      ],
    ]
    for (const [args, files, message] of cases) {
      const { exitCode, stdout, stderr } = await run(args, { files })
      expect(stderr).toMatch(message)
      expect(stderr).not.toContain('    at ')
      expect(stderr + stdout).not.toContain(token)
      expect(exitCode).toBe(2)
    }
  })

  it('prints its usage', async () => {
    for (const args of [[], ['--help'], ['doctor', '--help'], ['help']]) {
      const { exitCode, stdout } = await run(args)
      expect(stdout).toContain('Usage: edge-redlock <command> [options]')
      expect(exitCode).toBe(0)
    }
  })
})
