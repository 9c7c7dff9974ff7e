import type { HeldKey, NodeState } from '../node-state.ts'
import type { Action } from '../panel-node.ts'
import { watchAnswers } from './votes.ts'

// Runs in the page of the Worker, and displays the nodes there.

const server = new URL('.', import.meta.url)
const interval = 400
const maxKeys = 3

/** Creates an element with a class and text. */
const create = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  text = '',
): HTMLElementTagNameMap[Name] => {
  const element = document.createElement(name)
  element.className = className
  element.textContent = text
  return element
}

const explanations = {
  up: 'Holds no key.',
  down: 'The server is stopped. It restarts empty.',
  frozen: 'The server accepts requests, but never replies.',
} as const

const kinds = {
  lock: 'lock',
  throttle: 'throttle',
  claim: 'claim',
  record: 'stored response',
  once: 'stored value',
} as const

/** A key as `lockKey` returns it. */
const titleOf = ({ kind, key }: HeldKey): string => {
  // The key of an idempotent request is a hash.
  if (!key.includes(':')) return `${kinds[kind]} ${key.slice(0, 6)}`
  const isOfOnce = kind === 'record' && key.startsWith('once:')
  return `${kinds[isOfOnce ? 'once' : kind]} ${key.replace(/^once:/, '')}`
}

/** Formats a time. `left` is in ms. */
const timeOf = (left: number): string => {
  if (left < 60_000) return `${(left / 1000).toFixed(1)} s`
  return left < 3_600_000 ? `${Math.round(left / 60_000)} min` : `${Math.round(left / 3_600_000)} h`
}

const keyRow = (held: HeldKey): HTMLElement => {
  const { key, holder, left } = held
  const row = create('div', 'key')
  row.append(create('span', '', titleOf(held)))
  row.append(create('span', 'left', `${timeOf(left)} left`))
  row.title = `${key}, held by ${holder}`
  return row
}

const keyRows = (keys: readonly HeldKey[]): HTMLElement[] => {
  const rows = keys.slice(0, maxKeys).map(keyRow)
  if (keys.length > maxKeys) rows.push(create('div', '', `and ${keys.length - maxKeys} more`))
  return rows
}

/** Creates the card of a node. Its buttons are never replaced, so that they keep the focus. */
const createCard = (number: number, act: (action: Action, number: number) => void) => {
  const card = create('li', 'node')
  const name = create('span')
  const status = create('span', 'status')
  name.append(create('strong', '', `Node ${number}`), ' ', status)
  const keys = create('div', 'keys')
  const button = (): { show: (action: Action, isDisabled: boolean) => void } => {
    const element = create('button')
    const text = create('span')
    element.type = 'button'
    element.append(text, create('span', 'for-readers', ` node ${number}`))
    let current: Action = 'stop'
    element.addEventListener('click', () => act(current, number))
    card.append(element)
    return {
      show: (action, isDisabled) => {
        current = action
        text.textContent = action[0]!.toUpperCase() + action.slice(1)
        element.disabled = isDisabled
      },
    }
  }
  card.append(name)
  const power = button()
  const freezer = button()
  card.append(keys)
  return {
    card,
    show: (state: NodeState): void => {
      card.dataset.status = state.status
      status.textContent = state.status
      power.show(state.status === 'down' ? 'start' : 'stop', false)
      freezer.show(state.status === 'frozen' ? 'resume' : 'freeze', state.status === 'down')
      const rows = state.status === 'up' ? keyRows(state.keys) : []
      keys.replaceChildren(...(rows.length > 0 ? rows : [explanations[state.status]]))
    },
  }
}

const createPanel = async (): Promise<void> => {
  const style = create('link')
  Object.assign(style, { rel: 'stylesheet', crossOrigin: 'anonymous' })
  style.href = new URL('panel.css', server).href
  document.head.append(style)

  const section = create('section')
  section.id = 'nodes'
  const heading = create('h2', '', 'Redis nodes')
  heading.id = 'nodes-heading'
  section.setAttribute('aria-labelledby', heading.id)
  const summary = create('p')
  const list = create('ul')
  const news = create('p', 'about')
  news.role = 'status'
  section.append(heading, summary, list, news)
  // On a phone the nodes are below the responses.
  const link = create('a')
  link.id = 'to-nodes'
  link.href = '#nodes'
  document.querySelector('main')!.append(section)
  document.querySelector('form')!.after(link)

  const act = async (action: Action, number: number): Promise<void> => {
    const path = `nodes/${number}/${action}`
    const response = await fetch(new URL(path, server), { method: 'POST' }).catch(() => undefined)
    await refresh()
    const done = { stop: 'stopped', start: 'started', freeze: 'frozen', resume: 'resumed' }[action]
    news.textContent = response?.ok
      ? `Node ${number} is ${done}.`
      : `Node ${number} could not be ${done}: see the terminal of npm start.`
  }
  const cards: ReturnType<typeof createCard>[] = []
  const show = (states: readonly NodeState[]): void => {
    const up = states.filter(({ status }) => status === 'up').length
    const majority = Math.floor(states.length / 2) + 1
    const count = `${up} of ${states.length} nodes ${up === 1 ? 'is' : 'are'} up`
    summary.textContent =
      `${count}. A request is accepted when a majority, ${majority} of ` +
      `them, grants it${up < majority ? '; until then the response is 503.' : '.'}`
    link.textContent = count
    for (const [index, state] of states.entries()) {
      const card = (cards[index] ??= createCard(index + 1, (action, number) => {
        void act(action, number)
      }))
      if (!card.card.isConnected) list.append(card.card)
      card.show(state)
    }
  }
  const refresh = async (): Promise<boolean> => {
    try {
      const response = await fetch(new URL('nodes', server))
      show((await response.json()) as NodeState[])
      return true
    } catch {
      summary.textContent = 'npm start has ended. Start it again, and reload this page.'
      list.replaceChildren()
      return false
    }
  }
  const poll = async (): Promise<void> => {
    // Do not send requests while the page is hidden.
    const isRunning = document.hidden || (await refresh())
    if (isRunning) setTimeout(() => void poll(), interval)
  }
  await poll()
}

const answers = document.querySelector('#answers')
if (answers) watchAnswers(answers)
await createPanel()
