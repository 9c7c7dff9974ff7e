type Methods = Record<string, (this: unknown, ...args: unknown[]) => unknown>

/**
 * Makes the methods of a class say so when they are called without their object, as after
 * `const { release } = lock`. The error of the runtime names a private field.
 */
export const ownMethods = (type: { readonly prototype: object }, object: string): void => {
  const methods = type.prototype as Methods
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(methods))) {
    if (name === 'constructor' || typeof value !== 'function') continue
    const method = value as Methods[string]
    Object.defineProperty(methods, name, {
      value: function (...args) {
        if (Object(this) instanceof (type as unknown as Function)) return method.apply(this, args)
        throw new TypeError(
          `Expected \`${name}\` to be called on its object, as in ${object}.${name}()`,
        )
      } satisfies Methods[string],
    })
  }
}
