import {
  edgeRedlock,
  edgeRedlockFrugal,
} from '../../verification/comparison/contestants/edge-redlock.ts'
import { figure, table } from './markdown.ts'
import { megabytes } from '../footprint/columns.ts'
import type { All } from './results.ts'

type TargetRow = readonly [what: string, value: string, target: string, verdict: string]

const verdict = (isMet: boolean): string => (isMet ? 'met' : '**missed**')

const latencyTargets = ({ latency }: All): TargetRow[] =>
  latency.result.results
    .filter(({ most }) => most !== undefined)
    .map(({ weather, ratio, most, isMet }) => [
      `acquire p50 over the theoretical minimum, ${weather}`,
      figure(ratio, 3),
      `<= ${most}`,
      verdict(isMet),
    ])

const contentionTargets = ({ contention }: All): TargetRow[] =>
  contention.result.bars.map(({ about, contestant, size, value, most, isMet }) => [
    `${about}, ${size} clients (${contestant})`,
    figure(value),
    `<= ${most}`,
    verdict(isMet),
  ])

const sickTargets = ({ sick }: All): TargetRow[] =>
  sick.result.bars.map(({ about, contestant, value, most, isMet }) => [
    `${about} (${contestant})`,
    figure(value),
    `<= ${most}`,
    verdict(isMet),
  ])

const regionsTargets = ({ regions }: All): TargetRow[] =>
  regions.result.bars.map(({ about, value, most, isMet }) => [
    about,
    figure(value),
    `<= ${most}`,
    verdict(isMet),
  ])

const httpTargets = ({ http }: All): TargetRow[] =>
  http.result.byHand.map(({ name, ratio, minRatio, isMet }) => [
    `requests per second against the same requests by hand, ${name}`,
    figure(ratio),
    `>= ${minRatio}`,
    verdict(isMet),
  ])

const requestsTargets = ({ requests }: All): TargetRow[] =>
  requests.result.results
    .filter(({ contestant }) => [edgeRedlock.name, edgeRedlockFrugal.name].includes(contestant))
    .map(({ contestant, nodes, costs }) => [
      `requests for a repeated throttle rejection, ${nodes} nodes (${contestant})`,
      figure(costs['rejected again']?.sent),
      '0',
      verdict(costs['rejected again']?.sent === 0),
    ])

const footprintTargets = ({ footprint }: All): TargetRow[] => [
  [
    'MB per node that a million locks a day leave',
    megabytes(footprint.result.steady),
    `<= ${footprint.result.maxSteady / 1_000_000}`,
    verdict(footprint.result.isMet),
  ],
]

/** All targets with the measured values. */
export const targetsTable = (all: All): string =>
  table(
    ['', 'measured', 'target', ''],
    [
      ...latencyTargets(all),
      ...contentionTargets(all),
      ...sickTargets(all),
      ...regionsTargets(all),
      ...httpTargets(all),
      ...requestsTargets(all),
      ...footprintTargets(all),
    ],
  )
