import type { Asset, Assets } from '../../servers/assets/read-assets.ts'
import { shownSources, sourcePage } from '../source-page.ts'

const isPage = ({ type }: Asset): boolean => type.startsWith('text/html')

/** Adds the panel to the pages of the Worker. The deployed example has no panel. */
export const withPanel = (assets: Assets, script: string): Assets => {
  const tag = `<script type="module" src="${script}"></script>`
  const withTag = (asset: Asset): Asset =>
    isPage(asset) ? { ...asset, body: asset.body.replace('</head>', `${tag}\n  </head>`) } : asset
  return Object.fromEntries(Object.entries(assets).map(([path, asset]) => [path, withTag(asset)]))
}

const docs = '<span>Docs: <code>npm run docs -- serve</code></span>'

/** Adds the sources of the example, and links each page to the line that protects it, and to the documentation. */
export const withSources = async (assets: Assets, folder: string): Promise<Assets> => {
  const all: Record<string, Asset> = { ...assets }
  for (const shown of shownSources) {
    const { path, line, asset } = await sourcePage(folder, shown)
    all[path] = asset
    const page = all[shown.page]!
    const link = `<a href="${path}#L${line}">${shown.file}, line ${line}</a>`
    const body = page.body
      .replace('The code</h2>', `The code: ${link}</h2>`)
      .replace('</header>', `  ${docs}\n    </header>`)
    all[shown.page] = { ...page, body }
  }
  return all
}
