import { writeFile } from 'node:fs/promises'
import * as echarts from 'echarts'
import { directory } from './results.ts'

export type Option = echarts.EChartsOption

// This project in two shades of one colour that stands out; the others in shades of their own.
const colours = ['#d9480f', '#f59f00', '#1864ab', '#339af0', '#74c0fc', '#5c940d', '#868e96']

/** Draws a chart as an SVG. */
export const draw = async (name: string, option: Option, height = 360): Promise<void> => {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 820, height })
  chart.setOption({
    animation: false,
    backgroundColor: '#fff',
    color: colours,
    textStyle: { fontFamily: 'sans-serif' },
    legend: { bottom: 0, itemWidth: 14, itemHeight: 10 },
    grid: { left: 70, right: 24, top: 48, bottom: 78 },
    ...option,
  })
  await writeFile(`${directory}${name}.svg`, `${chart.renderToSVGString()}\n`)
  chart.dispose()
}

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
  yAxis: { type: 'log', name: yName, nameLocation: 'middle', nameGap: 46 },
  series: series.map(({ name, data }) => ({
    name,
    type: 'bar',
    // Zero has no place on a scale of powers, and is told by its label.
    data: data.map((value) => (value === undefined ? '-' : Math.max(value, 0.1))),
    label: {
      show: true,
      position: 'top',
      fontSize: 9,
      formatter: ({ dataIndex }) => data[dataIndex]?.toFixed(digits).replace(/\.0+$/, '') ?? '',
    },
  })),
})
