import { app } from '../app.ts'

// A Worker's entry point is its default export.
export default app
