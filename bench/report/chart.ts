import * as echarts from 'echarts'

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
}

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

export const title = (text: string): NonNullable<Option['title']> => ({
  text,
  left: 'center',
  textStyle: { fontSize: 14 },
})

/** One value of one library. JSON has null for what is no finite number. */
export type Point = {
  readonly name: string
  readonly x: string
  readonly y: number | null | undefined
}

/** A chart of bars with their values, or of lines over the number of clients. */
export type Chart = {
  readonly type: 'bar' | 'line'
  readonly title: string
  readonly x?: string
  readonly y: string
  readonly axis?: object
  readonly points: readonly Point[]
}

/** A series for each library, and a category for each x. */
export const optionOf = ({ type, title: text, x, y, axis, points }: Chart): Option => {
  const categories = [...new Set(points.map((point) => point.x))]
  const middle = { nameLocation: 'middle' } as const
  const seriesOf = (name: string): echarts.SeriesOption => {
    const data = categories.map((x) => points.find((one) => one.name === name && one.x === x)?.y)
    const style = { color: colours[name] ?? '#000' }
    return {
      name,
      type,
      itemStyle: style,
      data: data.map((value) => value ?? '-'),
      ...(type === 'line' && { lineStyle: style, symbolSize: 7 }),
      label: {
        show: type === 'bar',
        position: 'top',
        fontSize: 9,
        formatter: ({ dataIndex }) => data[dataIndex]?.toFixed(2) ?? '',
      },
    }
  }
  return {
    title: title(text),
    xAxis: { type: 'category', data: categories, ...(x && { name: x, ...middle, nameGap: 26 }) },
    yAxis: { name: y, ...middle, nameGap: 46, ...axis },
    series: [...new Set(points.map(({ name }) => name))].map(seriesOf),
  }
}
