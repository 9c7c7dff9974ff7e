import { scenario } from './scenario.ts'

export const oneAnswer = scenario(
  'one-answer',
  'One answer for both clicks',
  'Both clicks send an idempotent request with the same key. One of them is processed, and its answer is recorded on a majority of the nodes before it is sent. The other one waits for that answer, and gets the same.',
  { kind: 'request', wait: 3_000, work: 400 },
)
