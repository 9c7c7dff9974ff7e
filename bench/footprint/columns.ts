/** The columns of a table of footprints, after the name of the contestant. All but the last are in bytes. */
export const footprintColumns = [
  'lock held',
  'lock released',
  'of that the fence',
  'refused attempt',
  'throttle',
  'a million locks a day, MB',
]

export const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(2)
