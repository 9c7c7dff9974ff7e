import { fromEnv, type Redlock } from '../../src/index.ts'

// A candidate of docs/recipes/leader.md in a process of its own. It prints its terms.
// node test/recipes/leader-process.ts <path of campaign.ts> <name>

type Candidate = {
  readonly name: string
  readonly lead: (signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  readonly ttl: number
}
type Campaign = (redlock: Redlock, candidate: Candidate) => Promise<void>

const [, , path, name] = process.argv as [string, string, string, string]
const { campaign } = (await import(path)) as { campaign: Campaign }
const end = new AbortController()
process.once('SIGTERM', () => end.abort())
const lead = async (signal: AbortSignal): Promise<void> => {
  console.log('leads')
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  console.log('stops')
}
await campaign(fromEnv(), { name, lead, signal: end.signal, ttl: 5_000 })
