/** Gives the clients in a text other names. */
export type Renaming = (text: string) => string
