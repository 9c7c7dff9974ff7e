import { writeFile } from 'node:fs/promises'
import * as echarts from 'echarts'
import { directory } from './results.ts'

export type Option = echarts.EChartsOption

// A library has the same colour in every chart; those of this project stand out.
const colours: { readonly [name in string]?: string } = {
  'edge-redlock': '#d9480f',
  'edge-redlock, frugal': '#f59f00',
  'redlock 4': '#1864ab',
  'redlock 5': '#339af0',
  sesamecare: '#74c0fc',
  'redis-semaphore': '#5c940d',
  'redlock-universal': '#868e96',
  '@upstash/lock': '#862e9c',
  'no library': '#ced4da',
  // Figures of this project.
  'time to the winner': '#d9480f',
  'p90 of all answers': '#f59f00',
  requests: '#1864ab',
}

/** The colour of a series, by its name. */
export const styleOf = (name: string): { color: string } => ({ color: colours[name] ?? '#000' })

/** A chart as an SVG. */
export const svgOf = (option: Option, height: number): string => {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 820, height })
  chart.setOption({
    animation: false,
    backgroundColor: '#fff',
    textStyle: { fontFamily: 'sans-serif' },
    legend: { bottom: 0, itemWidth: 12, itemHeight: 9, itemGap: 16, textStyle: { fontSize: 11 } },
    grid: { left: 70, right: 24, top: 48, bottom: 78 },
    ...option,
  })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return `${svg}\n`
}

/** Draws a chart into the docs. */
export const draw = (name: string, option: Option): Promise<void> =>
  writeFile(`${directory}${name}.svg`, svgOf(option, 360))

export const title = (text: string): NonNullable<Option['title']> => ({
  text,
  left: 'center',
  textStyle: { fontSize: 14 },
})

/** Bars in groups: one series per contestant, one group per category. */
export const groupedBars = (
  text: string,
  yName: string,
  categories: readonly string[],
  series: readonly { readonly name: string; readonly data: readonly (number | undefined)[] }[],
  digits: number,
): Option => ({
  title: title(text),
  xAxis: { type: 'category', data: [...categories] },
  yAxis: { name: yName, nameLocation: 'middle', nameGap: 46 },
  series: series.map(({ name, data }) => ({
    name,
    type: 'bar',
    itemStyle: styleOf(name),
    data: data.map((value) => value ?? '-'),
    label: {
      show: true,
      position: 'top',
      fontSize: 9,
      formatter: ({ dataIndex }) => data[dataIndex]?.toFixed(digits) ?? '',
    },
  })),
})

export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]

/** Lines over the number of clients: one per contestant. */
export const lines = (
  text: string,
  y: Option['yAxis'],
  sizes: readonly number[],
  series: readonly { readonly name: string; readonly data: readonly (number | undefined)[] }[],
): Option => ({
  title: title(text),
  xAxis: {
    type: 'category',
    data: sizes.map(String),
    name: 'clients at once',
    nameLocation: 'middle',
    nameGap: 26,
  },
  yAxis: y!,
  series: series.map(({ name, data }) => ({
    name,
    type: 'line',
    itemStyle: styleOf(name),
    lineStyle: styleOf(name),
    symbolSize: 7,
    data: data.map((value) => value ?? '-'),
  })),
})
