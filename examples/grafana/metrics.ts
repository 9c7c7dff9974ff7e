import type { LockEvent } from 'edge-redlock'

// Pass `count` as `onEvent`, and serve the result of `metrics()` at /metrics.

const counters = new Map<string, number>()
const down = new Map<string, 0 | 1>()
const add = (name: string, labels: Record<string, string>, value: number): void => {
  const text = Object.entries(labels)
    .map(([label, content]) => `${label}=${JSON.stringify(content)}`)
    .join(',')
  const series = `${name}{${text}}`
  counters.set(series, (counters.get(series) ?? 0) + value)
}

/** Counts an event. The label `lock` is the first part of the key, such as `submit` for `submit:ada:7`. */
export const count = (event: LockEvent): void => {
  const lock = event.keys[0]?.split(':')[0] ?? 'none'
  const reason = 'reason' in event && event.reason ? event.reason : ''
  const node = 'node' in event ? event.node : ''
  if (event.type === 'node-down') down.set(node, 1)
  if (event.type === 'node-up') down.set(node, 0)
  add('redlock_events_total', { lock, type: event.type, reason, node }, 1)
  if (event.type === 'acquired' || event.type === 'rejected') {
    add('redlock_call_seconds_sum', { lock, type: event.type }, event.elapsed / 1_000)
    add('redlock_call_seconds_count', { lock, type: event.type }, 1)
  }
}

/** Returns the counters in the text format of Prometheus. */
export const metrics = (): string => {
  const samples = (name: string) => {
    const lines = [...counters].filter(([series]) => series.startsWith(name))
    return lines.map(([series, value]) => `${series} ${value}\n`).join('')
  }
  return [
    '# HELP redlock_events_total Events of locks.\n# TYPE redlock_events_total counter\n',
    samples('redlock_events_total'),
    '# HELP redlock_call_seconds Time of calls that ended.\n# TYPE redlock_call_seconds summary\n',
    samples('redlock_call_seconds'),
    '# HELP redlock_node_down Whether a node is down.\n# TYPE redlock_node_down gauge\n',
    ...Array.from(down, ([node, is]) => `redlock_node_down{node=${JSON.stringify(node)}} ${is}\n`),
  ].join('')
}
