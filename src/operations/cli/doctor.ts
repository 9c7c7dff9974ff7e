import process from 'node:process'
import { styleText } from 'node:util'
import { check as checkNodes, type Check } from '../doctor/check.ts'
import { diagnose } from '../doctor/diagnose.ts'
import { redundancyOf } from '../doctor/redundancy.ts'
import { restNode } from '../../redis/rest-node.ts'
import { Redlock } from '../../client/redlock.ts'
import { type Arguments, clientOptions, parseArguments } from './arguments.ts'
import { type GivenNodes, givenNodes } from './nodes.ts'
import { type Emphasize, reportLines } from './report.ts'
import { safeCopy } from './safe-json.ts'

const emphasize: Emphasize = (level, text) => {
  const isPlain = !process.stdout.isTTY || process.env['NO_COLOR']
  return isPlain ? text : styleText(level === 'problem' ? 'red' : 'yellow', text)
}

const createRedlock = (
  nodes: GivenNodes['nodes'],
  { prefix, maxTtl, nodeTimeout }: Arguments,
): Redlock => {
  // The throw-away lock starts the quarantine of a new server, which lasts for a time that depends on `maxTtl`. With a
  // `maxTtl` below that of the app, the server could grant a lock that another client still holds.
  if (maxTtl === undefined && nodes.some(({ volatile }) => volatile)) {
    throw new Error(
      'A node is volatile: pass --max-ttl with the `maxTtl` of your Redlock, or with its `ttl` if it has none',
    )
  }
  // `Redlock` rejects a `nodeTimeout` that is longer than its `ttl`.
  const ttl = Math.min(maxTtl ?? Infinity, Math.max(nodeTimeout ?? 0, 10_000))
  return new Redlock({
    nodes: [...nodes],
    ttl,
    ...(prefix !== undefined && { prefix }),
    ...(nodeTimeout !== undefined && { nodeTimeout: Math.min(nodeTimeout, ttl) }),
    ...(maxTtl !== undefined && { maxTtl }),
    // The report contains the same information.
    warnings: false,
  })
}

/** Restores the order of the nodes on the command line, because `Redlock` sorts nodes by name. */
const inOrder = (check: Check, given: GivenNodes['nodes']): Check => {
  const names = given.map((node) => ('run' in node ? node : restNode(node)).name)
  const place = ({ node }: { readonly node: string }): number => names.indexOf(node)
  return { ...check, nodes: [...check.nodes].sort((a, b) => place(a) - place(b)) }
}

/** Runs `edge-redlock doctor`. @returns whether there is no problem. */
export const runDoctor = async (args: readonly string[]): Promise<boolean> => {
  const given = parseArguments(args, [...clientOptions, 'max-ttl'])
  const { source, nodes, secrets, close } = await givenNodes(
    [...given.words, ...given.urls],
    given.from,
  )
  try {
    const report = inOrder(await checkNodes(createRedlock(nodes, given)), nodes)
    const redundancy = redundancyOf(report)
    const result = { check: report, findings: diagnose(report) }
    const { check, findings } = safeCopy(result, secrets)
    const isWell = findings.every(({ level }) => level !== 'problem')
    const lines = given.json
      ? [JSON.stringify({ isWell, source, redundancy, findings, ...check })]
      : reportLines(source, check, findings, redundancy, emphasize)
    for (const line of lines) console.log(line)
    return isWell
  } finally {
    close()
  }
}
