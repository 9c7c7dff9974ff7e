/**
 * The part of `next/navigation` that the examples use: an error that contains the page. The real module works only
 * inside Next.js.
 */
export function redirect(page: string): never {
  throw new Error(page)
}
