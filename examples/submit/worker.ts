import { Hono } from 'hono'
import type { Env } from './context.ts'
import { grade } from './grade.ts'
import { handIn } from './hand-in.ts'
import { report } from './report.ts'
import { submit } from './submit.ts'

const app = new Hono<Env>()
  .route('/', submit)
  .route('/', grade)
  .route('/', handIn)
  .route('/', report)

// A Worker's entry point is its default export.
export default app
