import { scenario } from './scenario.ts'

export const doubleClick = scenario(
  'double-click',
  'Double click',
  'A button is clicked twice, and both requests reach the servers at nearly the same moment. Only one of them gets the lock and does the work.',
)
