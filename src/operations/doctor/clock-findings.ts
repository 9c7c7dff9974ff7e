import type { NodeCheck } from './check.ts'
import { about, type Finding, hint, diagnosisOf } from './finding.ts'

// Smaller differences between clocks are not reported, in ms. Clocks that are synchronized with NTP differ by less.
const unremarkable = 1000

// The protocol assumes that server and client clocks differ by at most this many ms: `clockTolerance` in lock.lua.
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
  // Each offset can be off by half of its latency, so the difference between two offsets can be off by a whole latency.
  const margin = unremarkable + Math.max(...timed.map(({ latency }) => latency ?? 0))
  const findings: Finding[] = timed.flatMap(({ node, clockOffset }) => {
    const difference = clockOffset! - median
    if (Math.abs(difference) <= margin) return []
    const message = `The server's clock is ${inSeconds(difference)} ${direction(difference)} the clocks of the other servers. Fencing tokens and the quarantine of volatile nodes tolerate up to ${tolerance / 1000} s.`
    return about([node], levelOf(difference)('clock', message, fix))
  })
  if (Math.abs(median) > margin) {
    const message = `The clock of this machine is ${inSeconds(median)} ${direction(-median)} the clocks of the servers.`
    findings.push(about([], levelOf(median)('own-clock', message, fix)))
  }
  return findings
}
