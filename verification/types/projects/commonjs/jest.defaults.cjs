module.exports = { testMatch: ['**/locks.test.js'] }
