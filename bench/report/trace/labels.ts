import { format } from 'echarts'

/** Something in a row that has a name: its place in pixels. */
export type Named = { readonly name: string; readonly x: number }

/** A name that is shown, and where it begins. */
export type Label = { readonly text: string; readonly x: number }

/** The radius of a dot. */
export const radius = 3.5

export const fontSize = 10

// Pixels between a dot and its name, and between two names.
const space = 4

type Span = readonly [from: number, to: number]

const touch = ([a, b]: Span, [c, d]: Span): boolean => a < d + space && c < b + space

/** The names of the dots in one row, each beside its dot: those that touch no other dot or name. */
export const labelsOf = (dots: readonly Named[], end: number): Label[] => {
  const labels: Label[] = []
  const taken: Span[] = dots.map(({ x }) => [x - radius, x + radius])
  for (const [index, { name, x }] of dots.entries()) {
    const { width } = format.getTextRect(name, `${fontSize}px sans-serif`)
    const distance = radius + space
    const others = taken.filter((_, other) => other !== index)
    const spans: Span[] = [
      [x + distance, x + distance + width],
      [x - distance - width, x - distance],
    ]
    const free = spans.find((one) => one[1] <= end && !others.some((other) => touch(one, other)))
    if (!free) continue
    taken.push(free)
    labels.push({ text: name, x: free[0] })
  }
  return labels
}
