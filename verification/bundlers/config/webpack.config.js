// Rspack reads the same.
export default {
  mode: 'production',
  target: 'node',
  entry: '../app/server.js',
  output: { filename: 'server.cjs' },
}
