/** What the examples use of `next/navigation`, which works only inside Next.js: the error has the page. */
export function redirect(page: string): never {
  throw new Error(page)
}
