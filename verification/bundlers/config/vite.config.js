// A server build that contains its packages, like those of frameworks for the edge.
export default { ssr: { noExternal: true }, build: { minify: true } }
