/** A promise that a test resolves. */
export const later = (): { readonly promise: Promise<void>; readonly resolve: () => void } => {
  let resolve!: () => void
  const promise = new Promise<void>((settle) => (resolve = settle))
  return { promise, resolve }
}
