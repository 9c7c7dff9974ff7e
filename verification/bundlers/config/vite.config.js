// A server build that contains its packages, like the builds of edge frameworks.
export default { ssr: { noExternal: true }, build: { minify: true } }
