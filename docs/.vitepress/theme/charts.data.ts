import { type Chart, makeCharts } from '../charts.ts'

// The words of each picture. reports.ts has written its files.

type Words = Omit<Chart, 'svg'>

export declare const data: Readonly<Record<string, Words>>

const load = async (): Promise<Record<string, Words>> => {
  const charts = Object.entries(await makeCharts())
  return Object.fromEntries(charts.map(([name, { alt, caption }]) => [name, { alt, caption }]))
}

export default { watch: ['../../../verification/reports/**'], load }
