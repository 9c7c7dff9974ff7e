import type { Asset, Assets } from '../../servers/assets/read-assets.ts'

/** The pages of the Worker with the panel, which is none of the Worker's business. */
export const withPanel = (assets: Assets, script: string): Assets => {
  const tag = `<script type="module" src="${script}"></script>`
  const withTag = (asset: Asset): Asset =>
    asset.type.startsWith('text/html')
      ? { ...asset, body: asset.body.replace('</head>', `${tag}\n  </head>`) }
      : asset
  return Object.fromEntries(Object.entries(assets).map(([path, asset]) => [path, withTag(asset)]))
}
