/** The page of a repository. @throws unless `given` is `https://HOST/OWNER/NAME`, with or without `git+` and `.git`. */
export const pageOf = (given: string): string => {
  const page = given.replace(/^git\+/, '').replace(/(\.git)?\/*$/, '')
  if (!/^https:\/\/[\w.-]+\/[\w./-]+$/.test(page)) {
    throw new TypeError(`The repository must be https://HOST/OWNER/NAME. Got ${given}`)
  }
  return page
}
