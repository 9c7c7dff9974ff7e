import type { Check } from './check.ts'
import { assertOption } from '../../util/validate.ts'
import { clockFindings } from './clock-findings.ts'
import { about, byUrgency, type Finding, diagnosisOf } from './finding.ts'
import { nodeFindings } from './node-findings.ts'
import { setFindings } from './set-findings.ts'

/** Reports a throw-away lock that was not acquired, fenced and released. */
const lockFindings = ({ lock: { error, released } }: Check): Finding[] => {
  if (error === undefined && released === 'released') return []
  const message = 'A throw-away lock could not be acquired, fenced and released.'
  const fix = 'A majority of the nodes must work: see the other findings.'
  return [about([], diagnosisOf('no-lock', message, fix))]
}

/** Merges equal findings about several nodes into one. */
const joined = (findings: readonly Finding[]): Finding[] => {
  const byText = new Map<string, Finding>()
  for (const finding of findings) {
    const known = byText.get(finding.message)
    const nodes = [...(known?.nodes ?? []), ...finding.nodes]
    byText.set(finding.message, { ...finding, nodes })
  }
  return [...byText.values()]
}

/**
 * Converts the report of `check` to findings: problems and hints, each with a fix. Problems come before hints, the most
 * urgent first. If there are no findings, or only hints, the nodes work.
 *
 * @throws `TypeError` if the argument is not a report of `check`.
 * @example
 * ```ts
 * const findings = diagnose(await check(redlock))
 * for (const { level, nodes, message, fix } of findings) console.log(level, nodes, message, fix)
 * ```
 */
export const diagnose = (check: Check): Finding[] => {
  const { nodes, lock } = Object(check) as Partial<Check>
  const isReport = Array.isArray(nodes) && Array.isArray(lock?.nodes)
  assertOption(isReport, 'check', 'the result of `await check(redlock)`', check)
  return joined([
    ...lockFindings(check),
    ...check.nodes.flatMap((node) => {
      const report = check.lock.nodes.find((one) => one.node === node.node)
      return nodeFindings(node, report).map((diagnosis) => about([node.node], diagnosis))
    }),
    ...clockFindings(check.nodes),
    ...setFindings(check),
  ]).sort(byUrgency)
}
