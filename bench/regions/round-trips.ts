// Round trips between regions of AWS, in ms: medians over a year, as https://www.cloudping.co publishes
// them (percentile p_50, timeframe 1Y). Taken from the snapshot of its API that
// https://github.com/oaustegard/oaustegard.github.io keeps as web-utilities/aws-ping-p50-1y.json, for
// us-east-1, eu-west-1, ap-southeast-1, ap-northeast-1 and sa-east-1, rounded to tenths.

/** The regions, each with one server. */
export const regions = ['us-east', 'eu-west', 'singapore', 'tokyo', 'sao-paulo'] as const

export type Region = (typeof regions)[number]

const from = (
  ...[usEast, euWest, singapore, tokyo, saoPaulo]: [number, number, number, number, number]
): { readonly [to in Region]: number } => ({
  'us-east': usEast,
  'eu-west': euWest,
  singapore,
  tokyo,
  'sao-paulo': saoPaulo,
})

export const roundTrips: { readonly [region in Region]: { readonly [to in Region]: number } } = {
  'us-east': from(5.3, 69.6, 219.1, 149.4, 115.2),
  'eu-west': from(69.6, 2.9, 182.0, 201.0, 178.1),
  singapore: from(218.6, 182.5, 3.6, 70.7, 327.4),
  tokyo: from(149.2, 201.1, 70.5, 2.5, 257.4),
  'sao-paulo': from(115.4, 178.4, 327.4, 258.1, 3.1),
}

/** The ms after which a client of that region has the replies of a quorum: a lower bound. */
export const quorumReply = (region: Region): number =>
  Object.values(roundTrips[region]).toSorted((a, b) => a - b)[regions.length >> 1]!
