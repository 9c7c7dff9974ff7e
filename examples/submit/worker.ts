import { Hono } from 'hono'
import type { Env } from './context.ts'
import { grade } from './grade.ts'
import { handIn } from './hand-in.ts'
import { submit } from './submit.ts'

const usage = `POST /assignments/:id/submit   header x-user; ?exam=1 for the exam
POST /assignments/:id/grade
POST /assignments/:id/hand-in  headers x-user, idempotency-key; GET for a page with a button
`

const app = new Hono<Env>()
  .get('/', (c) => c.text(usage))
  .route('/', submit)
  .route('/', grade)
  .route('/', handIn)

// A Worker's entry point is its default export.
export default app
