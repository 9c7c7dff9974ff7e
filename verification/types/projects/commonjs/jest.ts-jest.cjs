// As docs/reference/troubleshooting.md says.
module.exports = {
  testMatch: ['**/typed.test.ts'],
  transform: { '\\.[jt]s$': ['ts-jest', { tsconfig: 'tsconfig.jest.json' }] },
  transformIgnorePatterns: ['/node_modules/(?!edge-redlock/)'],
}
