// As docs/reference/troubleshooting.md says.
module.exports = {
  testMatch: ['**/locks.test.js'],
  transform: {
    '\\.js$': ['babel-jest', { plugins: ['@babel/plugin-transform-modules-commonjs'] }],
  },
  transformIgnorePatterns: ['/node_modules/(?!edge-redlock/)'],
}
