/** Cancels a body that will not be read, so that its source stops. */
export const discard = (response: Response | undefined): void => {
  response?.body?.cancel().catch(() => {})
}
