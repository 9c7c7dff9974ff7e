/** Ends a body that nobody will read, so that what produces it stops. */
export const discard = (response: Response | undefined): void => {
  response?.body?.cancel().catch(() => {})
}
