// The page has this many hues for clients: `--pg-hue-0` and so on.
const hues = 12

/** The style that gives an element the colour of a client; no style without one. */
export const hueOf = (client: number | undefined): Readonly<Record<string, string>> | undefined =>
  client === undefined ? undefined : { '--hue': `var(--pg-hue-${client % hues})` }
