import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const read = (file: string): string =>
  readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8')

it('the dashboard and the alerts use metrics and labels that metrics.ts exports', () => {
  type Panel = { readonly targets: readonly { readonly expr: string }[] }
  const { panels } = JSON.parse(read('examples/grafana/dashboard.json')) as { panels: Panel[] }
  const rules = read('examples/grafana/alerts.yml').matchAll(/^ +expr: (.+)$/gm)
  const expressions = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...Array.from(rules, ([, expr]) => expr!),
  ]
  expect(expressions.length).toBeGreaterThan(6)
  const source = read('examples/grafana/metrics.ts')
  const names = expressions.flatMap((one) => one.match(/redlock_\w+?(?=_sum|_count|[{[)])/g) ?? [])
  expect(new Set(names)).toEqual(
    new Set(['redlock_events_total', 'redlock_call_seconds', 'redlock_node_down']),
  )
  for (const name of names) expect(source).toContain(`# TYPE ${name} `)
  const labels = expressions.flatMap((one) => /by \(([^)]+)\)/.exec(one)?.[1]?.split(', ') ?? [])
  for (const label of labels) expect(source).toMatch(new RegExp(`[{ ]${label}[,: =]`))
})
