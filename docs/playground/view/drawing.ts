import { duration } from '../story/words.ts'
import type { Message, Recording } from '../world/recording.ts'
import { slotsOf } from '../world/settings.ts'
import type { TimeScale } from './time-scale.ts'
import { clientLaneHeight, type Lanes, nodeBarHeight } from './lanes.ts'
import { type Bar, clientBars, endings, nodeBars, tickStep, toneOf } from './timeline.ts'

/** Where to draw a run: its lanes, and the pixels of a ms of the time scale. */
export type Canvas = {
  readonly recording: Recording
  readonly scale: TimeScale
  readonly lanes: Lanes
  readonly perMs: number
}

type Line = Record<'x1' | 'y1' | 'x2' | 'y2', number>

/** A bar in pixels. */
export type DrawnBar = Pick<Bar, 'client' | 'kind'> &
  Record<'x' | 'y' | 'width' | 'height', number> & { readonly label: string }

/** A message in pixels: to its receiver, what it did there, and the answer. */
export type DrawnMessage = {
  readonly client: number
  readonly tone: ReturnType<typeof toneOf>
  readonly there: Line | undefined
  readonly dot: Record<'cx' | 'cy', number> | undefined
  readonly back: Line | undefined
  /** Where a message that wakes a client arrives. */
  readonly end: Record<'cx' | 'cy', number> | undefined
}

const xOf =
  ({ scale, perMs }: Canvas) =>
  (time: number): number =>
    scale.placeOf(time) * perMs

const labels: Partial<Record<Bar['kind'], string>> = { asks: '', late: 'too late' }

const labelOf = (kind: Bar['kind'], client: number | undefined): string => {
  if (kind === 'holds') return `client ${client! + 1}`
  return kind === 'answer' ? `answer of client ${client! + 1}` : (labels[kind] ?? kind)
}

export const drawBars = (canvas: Canvas): readonly DrawnBar[] => {
  const { recording, lanes } = canvas
  const x = xOf(canvas)
  const slots = slotsOf(recording.settings)
  const draw = (bar: Bar, middle: number, laneHeight: number): DrawnBar => {
    const { client, kind, from, to, slot } = bar
    const height = slot === undefined ? laneHeight : laneHeight / slots
    const top = middle - laneHeight / 2 + (slot ?? 0) * height
    return {
      client,
      kind,
      x: x(from),
      y: top,
      width: Math.max(1, x(to) - x(from)),
      height,
      label: labelOf(kind, client),
    }
  }
  const clientHeight = clientLaneHeight(recording.clients) - 8
  const nodeHeight = nodeBarHeight(slots)
  return [
    ...clientBars(recording).map((bar) => draw(bar, lanes.clients[bar.index]!.y, clientHeight)),
    ...nodeBars(recording).map((bar) => draw(bar, lanes.nodes[bar.index]!.y, nodeHeight)),
  ]
}

export const drawMessages = (canvas: Canvas): readonly DrawnMessage[] => {
  const { recording, lanes } = canvas
  const x = xOf(canvas)
  const slots = slotsOf(recording.settings)
  const slotHeight = nodeBarHeight(slots) / slots
  const laneOf = ({ to, slot }: Message): number => {
    if (to === 'store') return lanes.store.y
    // A grant leads to its slot.
    const offset = slot === undefined ? 0 : (slot + 0.5 - slots / 2) * slotHeight
    return lanes.nodes[to]!.y + offset
  }
  return recording.messages.map((message) => {
    const { client, operation, sentAt, arrivedAt, executedAt, answeredAt } = message
    const [y1, y2] = [lanes.clients[client]!.y, laneOf(message)]
    const line = (from: number, to: number, start: number, end: number): Line => ({
      x1: x(from),
      y1: start,
      x2: x(to),
      y2: end,
    })
    return {
      client,
      tone: toneOf(message),
      there: arrivedAt === undefined ? undefined : line(sentAt, arrivedAt, y1, y2),
      dot: executedAt === undefined ? undefined : { cx: x(executedAt), cy: y2 },
      back: answeredAt === undefined ? undefined : line(executedAt!, answeredAt, y2, y1),
      end:
        answeredAt === undefined || operation !== 'wake'
          ? undefined
          : { cx: x(answeredAt), cy: y1 },
    }
  })
}

/** How the calls ended, behind their bars. */
export const drawEndings = (canvas: Canvas): { x: number; y: number; word: string }[] =>
  endings(canvas.recording).map(({ client, at, word }) => ({
    x: xOf(canvas)(at) + 4,
    y: canvas.lanes.clients[client]!.y + 4,
    word,
  }))

/** A gap in pixels, with the time that passes in it, if there is room for that. */
export type DrawnGap = { readonly x: number; readonly width: number; readonly text: string }

export const drawGaps = ({ scale, perMs }: Canvas): readonly DrawnGap[] => {
  let last = -Infinity
  return scale.gaps.map(({ from, to, start, end }) => {
    const [x, width] = [start * perMs, (end - start) * perMs]
    const text = width < 85 ? duration(to - from) : `${duration(to - from)} later`
    const middle = x + width / 2
    // The labels must not cover each other.
    const hasRoom = middle - last > 8 + text.length * 5.5
    if (hasRoom) last = middle
    return { x, width, text: hasRoom ? text : '' }
  })
}

/** The times of the axis, outside of the gaps. */
export const drawTicks = (
  canvas: Canvas,
  gaps: readonly DrawnGap[],
): { at: number; x: number }[] => {
  const step = tickStep(canvas.perMs)
  const x = xOf(canvas)
  const count = Math.floor(canvas.recording.end / step) + 1
  return Array.from({ length: count }, (_, index) => ({
    at: index * step,
    x: x(index * step),
  })).filter((tick) => gaps.every((gap) => tick.x < gap.x - 14 || tick.x > gap.x + gap.width + 16))
}
