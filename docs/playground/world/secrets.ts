// The secret values of attempts, from which the page knows whose lock a node holds. Real ones are random.

const pad = (number: number, length: number): string => `${number}`.padStart(length, '0')

/** The value of an attempt. Its first eight characters tell holders apart, as the library requires. */
export const secretOf = (client: number, attempt: number): string =>
  `c${pad(client, 3)}a${pad(attempt, 3)}~~${pad(client, 3)}~${pad(attempt, 3)}~~`

/** The client that has answered, by the text of a record. A repaired record has another owner. */
export const answerOf = (record: string): number => Number(/ answer of (\d+)$/.exec(record)![1])

/** The content of the record of a client. */
export const answerBy = (client: number): string => `answer of ${client}`

/** The client and the attempt of a value, or of the beginning of one. */
export const ownerOf = (value: string): { client: number; attempt: number } => {
  const [, client, attempt] = /c(\d{3})a(\d{3})/.exec(value)!
  return { client: Number(client), attempt: Number(attempt) }
}
