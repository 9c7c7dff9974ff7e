import process from 'node:process'
import { styleText } from 'node:util'
import { check as checkNodes, type Check } from '../doctor/check.ts'
import { diagnose } from '../doctor/diagnose.ts'
import type { Finding } from '../doctor/finding.ts'
import { redundancyOf } from '../doctor/redundancy.ts'
import { nodesFromEnv } from '../nodes/nodes-from-env.ts'
import { restNode, type RestNodeOptions } from '../nodes/rest-node.ts'
import { Redlock } from '../redlock.ts'
import { type DoctorArguments, parseDoctorArguments } from './arguments.ts'
import { printable } from './printable.ts'
import { type Emphasize, reportLines } from './report.ts'
import { findVariables } from './variables.ts'

const emphasize: Emphasize = (level, text) => {
  const isPlain = !process.stdout.isTTY || process.env['NO_COLOR']
  return isPlain ? text : styleText(level === 'problem' ? 'red' : 'yellow', text)
}

const createRedlock = (
  nodes: RestNodeOptions[],
  { prefix, maxTtl, nodeTimeout }: DoctorArguments,
): Redlock => {
  // The throw-away lock begins the quarantine of a new server. With another maxTtl than that of the app
  // it would be too short, and the server could grant a lock that somebody still holds.
  if (maxTtl === undefined && nodes.some(({ volatile }) => volatile)) {
    throw new Error(
      'A node is volatile: pass --max-ttl with the maxTtl of your Redlock, or its ttl where it has none',
    )
  }
  // A Redlock accepts no nodeTimeout that is longer than its ttl.
  const ttl = Math.min(maxTtl ?? Infinity, Math.max(nodeTimeout ?? 0, 10_000))
  return new Redlock({
    nodes,
    ttl,
    ...(prefix !== undefined && { prefix }),
    ...(nodeTimeout !== undefined && { nodeTimeout: Math.min(nodeTimeout, ttl) }),
    ...(maxTtl !== undefined && { maxTtl }),
    // The report has everything that they would say.
    warnings: false,
  })
}

/** The check with its nodes in the order in which they were given; a `Redlock` sorts them by name. */
const inOrder = (check: Check, given: readonly RestNodeOptions[]): Check => {
  const names = given.map((node) => restNode(node).name)
  const place = ({ node }: { readonly node: string }): number => names.indexOf(node)
  return { ...check, nodes: [...check.nodes].sort((a, b) => place(a) - place(b)) }
}

type Result = { readonly check: Check; readonly findings: readonly Finding[] }

/** A copy of the result with errors as text, in which all text is safe to print. */
const plain = (result: Result, tokens: readonly string[]): Result => {
  const safe = printable(tokens)
  const json = JSON.stringify(result, function (this: Record<string, unknown>, key, value) {
    // The value is what `toJSON` has returned.
    const { [key]: original } = this
    if (original instanceof Error) return safe(original.message)
    return typeof value === 'string' ? safe(value) : (value as unknown)
  })
  return JSON.parse(json) as Result
}

/** Runs `edge-redlock doctor`. @returns whether all is well. */
export const runDoctor = async (args: readonly string[]): Promise<boolean> => {
  const options = parseDoctorArguments(args)
  const { source, env } = findVariables(options.from)
  const nodes = nodesFromEnv(env)
  const report = inOrder(await checkNodes(createRedlock(nodes, options)), nodes)
  const redundancy = redundancyOf(report)
  const result = { check: report, findings: diagnose(report) }
  const { check, findings } = plain(
    result,
    nodes.map(({ token }) => token),
  )
  const isWell = findings.every(({ level }) => level !== 'problem')
  const lines = options.json
    ? [JSON.stringify({ isWell, source, redundancy, findings, ...check })]
    : reportLines(source, check, findings, redundancy, emphasize)
  for (const line of lines) console.log(line)
  return isWell
}
