import { SpanKind } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { CustomSeriesRenderItem } from 'echarts'
import { svgOf, title } from '../chart.ts'
import { fontSize, labelsOf, radius } from './labels.ts'
import { labelOf, msOf, type Row, rowsOf } from './rows.ts'

const colours: { readonly [name in string]?: string } = {
  'lock.acquire': '#f59f00',
  'lock.hold': '#d9480f',
}

const colourOf = ({ name, kind }: ReadableSpan): string =>
  colours[name] ?? (kind === SpanKind.CLIENT ? '#74c0fc' : '#adb5bd')

/** Draws the bar of a span, and its events as dots with names. */
const renderer =
  (rows: readonly Row[], begun: number): CustomSeriesRenderItem =>
  (params, api) => {
    const row = Number(api.value(0))
    const { span } = rows[row]!
    const [left, y] = api.coord([api.value(1), row]) as [number, number]
    const [right] = api.coord([api.value(2), row]) as [number, number]
    const height = (api.size!([0, 1]) as number[])[1]! * 0.62
    const { x, width } = params.coordSys as unknown as { x: number; width: number }
    const dots = span.events.map(({ name, time }) => ({
      name,
      x: api.coord([msOf(time) - begun, row])[0]!,
    }))
    const bar = { x: left, y: y - height / 2, width: Math.max(1, right - left), height }
    return {
      type: 'group',
      children: [
        { type: 'rect', shape: bar, style: { fill: colourOf(span) } },
        ...dots.map((dot) => ({
          type: 'circle' as const,
          shape: { cx: dot.x, cy: y, r: radius },
          style: { fill: '#000' },
        })),
        ...labelsOf(dots, x + width).map((label) => ({
          type: 'text' as const,
          style: { ...label, y: y - fontSize / 2, fontSize, fill: '#000' },
        })),
      ],
    }
  }

/** The spans as bars on one axis of time, each under its parent. */
export const svgOfTrace = (spans: readonly ReadableSpan[]): string => {
  const rows = rowsOf(spans)
  const begun = Math.min(...spans.map(({ startTime }) => msOf(startTime)))
  // The cancelled requests to the node that hangs end later.
  const servers = spans.filter(({ kind }) => kind === SpanKind.SERVER)
  const end = Math.max(...servers.map(({ endTime }) => msOf(endTime) - begun))
  return svgOf(
    {
      title: title('Two clicks and one lock, while node 3 hangs'),
      legend: { show: false },
      grid: { left: 250, right: 24, top: 48, bottom: 46 },
      xAxis: {
        type: 'value',
        name: 'ms',
        max: Math.ceil(end / 50) * 50 + 50,
        nameLocation: 'middle',
        nameGap: 26,
      },
      yAxis: {
        type: 'category',
        data: rows.map(labelOf),
        inverse: true,
        axisLabel: { align: 'left', margin: 240, fontSize: 11, interval: 0 },
        axisTick: { show: false },
      },
      series: [
        {
          type: 'custom',
          clip: true,
          encode: { x: [1, 2], y: 0 },
          renderItem: renderer(rows, begun),
          data: rows.map(({ span }, row) => [
            row,
            msOf(span.startTime) - begun,
            msOf(span.endTime) - begun,
          ]),
        },
      ],
    },
    100 + 21 * rows.length,
  )
}
