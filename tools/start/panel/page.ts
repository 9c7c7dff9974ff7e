import type { Assets } from '../../servers/assets/read-assets.ts'

/** The page of the Worker with the panel, which is none of the Worker's business. */
export const withPanel = (assets: Assets, script: string): Assets => {
  const page = assets['/']!
  const tag = `<script type="module" src="${script}"></script>`
  return { ...assets, '/': { ...page, body: page.body.replace('</head>', `${tag}\n  </head>`) } }
}
