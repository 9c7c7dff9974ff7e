import { crowds } from './crowd.ts'
import { expiry } from './expiry.ts'
import { faults } from './faults.ts'
import { force } from './force.ts'
import { holders } from './holders.ts'
import type { HistoryKind } from './kind.ts'
import { lines } from './lines.ts'
import { once } from './once.ts'
import type { ScenarioName } from './names.ts'
import { farNodes } from './regions.ts'
import { requests } from './requests.ts'
import { sickBurst } from './sick-burst.ts'
import { slots } from './slots.ts'
import { stalledBurst } from './stalls.ts'
import { wakeUp } from './wake-up.ts'

export const kinds: Readonly<Record<ScenarioName, HistoryKind>> = {
  faults,
  expiry,
  'sick-burst': sickBurst,
  regions: farNodes,
  holders,
  lines,
  requests,
  once,
  slots,
  'wake-up': wakeUp,
  force,
  crowd: crowds,
  stalls: stalledBurst,
}
