import { fromEnv, type Redlock } from '../../src/index.ts'

// One of several instances with node-cron, as docs/recipes/cron.md shows them. It prints the ticks of its timer, as node-cron
// names them and as the clock does, and the runs of its job.
// node test/recipes/cron-process.ts <path of cron.ts> <path of tick.ts>

type Task = {
  readonly on: (event: 'execution:started', heard: (context: { date: Date }) => void) => void
}
type Start = (redlock: Redlock, send: () => Promise<void>, schedule: string) => Task
type Nearest = (step: number) => number

const [, , cron, tick] = process.argv as [string, string, string, string]
const { startReports } = (await import(cron)) as { startReports: Start }
const { nearestTick } = (await import(tick)) as { nearestTick: Nearest }

const tell = (line: object): void => console.log(JSON.stringify(line))
let date = 0
const send = async (): Promise<void> => tell({ ran: date })
// Every two seconds, so that a timer of a busy machine may be a second late.
const task = startReports(fromEnv(), send, '*/2 * * * * *')
task.on('execution:started', (context) => {
  date = context.date.getTime()
  tell({ tick: date, nearest: nearestTick(2_000) })
})
