import { Hono } from 'hono'
import type { Env } from './context.ts'
import { grade } from './grade.ts'
import { submit } from './submit.ts'

const app = new Hono<Env>().route('/', submit).route('/', grade)

// A Worker's entry point is its default export.
export default app
