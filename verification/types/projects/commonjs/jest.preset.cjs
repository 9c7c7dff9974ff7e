module.exports = {
  testMatch: ['**/typed.test.ts'],
  transform: { '\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.jest.json' }] },
}
