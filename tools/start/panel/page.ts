import type { Asset, Assets } from '../../servers/assets/read-assets.ts'

/** Adds the panel to the pages of the Worker, which itself has no panel. */
export const withPanel = (assets: Assets, script: string): Assets => {
  const tag = `<script type="module" src="${script}"></script>`
  const withTag = (asset: Asset): Asset =>
    asset.type.startsWith('text/html')
      ? { ...asset, body: asset.body.replace('</head>', `${tag}\n  </head>`) }
      : asset
  return Object.fromEntries(Object.entries(assets).map(([path, asset]) => [path, withTag(asset)]))
}
