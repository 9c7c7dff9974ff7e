import type { NodeCheck } from './check.ts'
import { about, type Finding, hint, diagnosisOf } from './finding.ts'

// Clocks may differ by this many ms without a finding. Clocks that use NTP differ by less.
const unremarkable = 1000

// The protocol assumes that the clocks of servers and clients differ by at most this many ms: `clockTolerance` of
// lock.lua.
const tolerance = 5000

const fix = 'Synchronize the clocks with NTP, for example with chrony or systemd-timesyncd.'

const inSeconds = (ms: number): string => `${(Math.abs(ms) / 1000).toFixed(1)} s`
const direction = (ms: number): string => (ms > 0 ? 'ahead of' : 'behind')

const levelOf = (difference: number): typeof diagnosisOf =>
  Math.abs(difference) > tolerance ? diagnosisOf : hint

/**
 * Compares the clocks of the servers with their median, and the median with the clock of this machine.
 * A difference that a slow reply could explain is ignored.
 */
export const clockFindings = (nodes: readonly NodeCheck[]): Finding[] => {
  const timed = nodes.filter(({ clockOffset }) => clockOffset !== undefined)
  if (timed.length === 0) return []
  const offsets = timed.map(({ clockOffset }) => clockOffset!).sort((a, b) => a - b)
  const median = offsets[(offsets.length - 1) >> 1]!
  // Each offset may be wrong by half of its latency, so the difference between two may be wrong by all of it.
  const margin = unremarkable + Math.max(...timed.map(({ latency }) => latency ?? 0))
  const findings: Finding[] = timed.flatMap(({ node, clockOffset }) => {
    const difference = clockOffset! - median
    if (Math.abs(difference) <= margin) return []
    const message = `The clock of the server is ${inSeconds(difference)} ${direction(difference)} the clocks of the others. Fencing tokens and the quarantine of volatile nodes allow for ${tolerance / 1000} s.`
    return about([node], levelOf(difference)('clock', message, fix))
  })
  if (Math.abs(median) > margin) {
    const message = `The clock of this machine is ${inSeconds(median)} ${direction(-median)} the clocks of the servers.`
    findings.push(about([], levelOf(median)('own-clock', message, fix)))
  }
  return findings
}
