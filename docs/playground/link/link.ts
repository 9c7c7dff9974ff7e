import { findScenario, scenarios } from '../scenarios/all.ts'
import type { Action } from '../world/actions.ts'
import { nodeCount, type NumberSetting, ranges, type Settings } from '../world/settings.ts'
import { readAction, writeAction } from './actions.ts'

// The settings of a run in the query of a url. What the scenario says is left out.

/** The settings of a url, and what was wrong with it, in sentences. */
export type ReadLink = { readonly settings: Settings; readonly problems: readonly string[] }

// More would make a url that nobody can pass on.
const maxActions = 50

const numbers: readonly NumberSetting[] = ['clients', 'gap', 'wait', 'limit', 'ttl', 'work']
const latencyText = (latency: readonly number[]): string => latency.join('.')
const actionsText = (actions: readonly Action[]): string => actions.map(writeAction).join('_')

/** The query that replays a run, without its question mark. */
export const writeLink = (settings: Settings): string => {
  const { scenario, seed, strategy, kind, waiting, latency, actions } = settings
  const usual = findScenario(scenario)!.settings
  const words = [`scenario=${scenario}`, `seed=${seed}`]
  for (const name of numbers) {
    if (settings[name] !== usual[name]) words.push(`${name}=${settings[name]}`)
  }
  if (strategy !== usual.strategy) words.push(`strategy=${strategy}`)
  if (kind !== usual.kind) words.push(`kind=${kind}`)
  if (waiting !== usual.waiting) words.push(`waiting=${waiting}`)
  if (latencyText(latency) !== latencyText(usual.latency)) {
    words.push(`latency=${latencyText(latency)}`)
  }
  if (actionsText(actions) !== actionsText(usual.actions)) words.push(`do=${actionsText(actions)}`)
  return words.join('&')
}

/** Reads the query of a url. What is wrong is replaced by what the scenario says, and reported. */
export const readLink = (query: string): ReadLink => {
  const given = new URLSearchParams(query)
  const problems: string[] = []
  const id = given.get('scenario') ?? scenarios[0]!.id
  const found = findScenario(id)
  if (!found) {
    const ids = scenarios.map((scenario) => scenario.id).join(', ')
    problems.push(`The link names the scenario "${id}", which is none of ${ids}.`)
  }
  const usual = (found ?? scenarios[0]!).settings

  const number = (name: NumberSetting | 'latency', text: string, otherwise: number): number => {
    const { min, max } = ranges[name]
    const value = /^\d{1,6}$/.test(text) ? Number(text) : -1
    if (value >= min && value <= max) return value
    problems.push(
      `In the link, ${name} is "${text}". It must be a whole number from ${min} to ${max}; ${otherwise} is used instead.`,
    )
    return otherwise
  }
  const setting = (name: NumberSetting): number => {
    const text = given.get(name)
    return text === null ? usual[name] : number(name, text, usual[name])
  }
  const choice = <T extends string>(
    name: string,
    [one, other]: readonly [T, T],
    otherwise: T,
  ): T => {
    const text = given.get(name)
    if (text === null) return otherwise
    if (text === one) return one
    if (text === other) return other
    problems.push(
      `In the link, ${name} is "${text}". It must be ${one} or ${other}; ${otherwise} is used instead.`,
    )
    return otherwise
  }
  const latency = (): readonly number[] => {
    const texts = given.get('latency')?.split('.')
    if (!texts) return usual.latency
    if (texts.length === nodeCount) {
      return texts.map((text, node) => number('latency', text, usual.latency[node]!))
    }
    problems.push(`In the link, latency must have ${nodeCount} numbers, with points between them.`)
    return usual.latency
  }
  const actions = (): readonly Action[] => {
    const texts = given.get('do')
    if (texts === null) return usual.actions
    const words = texts.split('_').filter(Boolean)
    if (words.length > maxActions) {
      problems.push(`The link has ${words.length} actions. The first ${maxActions} are used.`)
    }
    return words.slice(0, maxActions).flatMap((word) => {
      const action = readAction(word)
      if (action) return [action]
      problems.push(
        `In the link, "${word}" is no action. Actions look like 0.hang.3, 160.pause.1.1500 or 900.click.`,
      )
      return []
    })
  }

  const settings: Settings = {
    scenario: usual.scenario,
    seed: setting('seed'),
    clients: setting('clients'),
    gap: setting('gap'),
    wait: setting('wait'),
    strategy: choice('strategy', ['parallel', 'frugal'], usual.strategy),
    kind: choice('kind', ['lock', 'request'], usual.kind),
    limit: setting('limit'),
    waiting: choice('waiting', ['poll', 'wake'], usual.waiting),
    ttl: setting('ttl'),
    work: setting('work'),
    latency: latency(),
    actions: actions(),
  }
  return { settings, problems }
}
