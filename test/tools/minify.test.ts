import { describe, expect, it } from 'vitest'
import { minify } from '../../tools/lua/minify.ts'

describe('the Lua minifier', () => {
  it('removes comments and spaces, and renames local variables', () => {
    const source = `
      -- A comment with a 'quote' -- and another.
      local key, value = KEYS[1], ARGV[1]
      for index, word in redis.call('GET', key) do
        local key = index .. 'local word -- kept'
        value = value + 1 -- the end
      end
      return { value, key }`
    expect(minify(source)).toBe(
      `local a,b=KEYS[1],ARGV[1]for c,d in redis.call('GET',a)do local a=c..'local word -- kept'b=b+1 end return{b,a}`,
    )
  })

  it('leaves the names of fields and methods alone', () => {
    const source = `local match, max = ARGV[1]\nreturn math.max(match:match('%d'), max)`
    expect(minify(source)).toBe(`local a,b=ARGV[1]return math.max(a:match('%d'),b)`)
  })

  it.each([
    ['local a = 1 .. 2', 'local a=1 ..2'],
    ['local a = 1 - - 1', 'local a=1- -1'],
    ['local a = 1 - -- note\n -1', 'local a=1- -1'],
    ['return 1 and 2', 'return 1 and 2'],
    [`return 'x' and 'y'`, `return'x'and'y'`],
  ])('keeps apart what would be read differently: %s', (source, short) => {
    expect(minify(source)).toBe(short)
  })

  it('renames functions and their parameters', () => {
    const source = `
      local function put(key, text, ...)
        return redis.call('SET', key, text, ...) or error('no ' .. key)
      end
      local double = function(n) return 2 * n end
      local function none() return put(...) end
      return put(double(1), none())`
    expect(minify(source)).toBe(
      `local function a(b,c,...)return redis.call('SET',b,c,...)or error('no '..b)end local d=function(e)return 2*e end local function f()return a(...)end return a(d(1),f())`,
    )
  })

  it('has a letter for each of 52 variables, and no more', () => {
    const declare = (count: number): string =>
      Array.from({ length: count }, (_, index) => `local name${index} = ${index}`).join('\n')
    const letters = minify(declare(52)).match(/(?<=local )\w/g)
    expect(new Set(letters).size).toBe(52)
    expect(() => minify(declare(53))).toThrow('More local variables than letters')
  })

  it.each([
    ['a global function', 'function double(n) return 2 * n end'],
    ['a method', 'local a = 1 function a.double(n) return 2 * n end'],
    ['a parameter that hides a global one', 'local function double(type) return 2 end'],
    ['a long string', 'return [[text]]'],
    ['a long string with a level', 'return [=[text]=]'],
    ['a long comment', '--[[ note ]] return 1'],
    ['a string in double quotes', 'return "text"'],
    ['an escape in a string', `return 'it\\'s'`],
    ['a string without an end', `return 'text`],
    ['a label', 'goto done'],
    ['a loop until', 'local a = 1 repeat a = 2 until a == 2'],
    ['a table with named fields', 'local a = 1 return { a = 2 }'],
    ['a name that nothing declares', 'return missing'],
    ['a local variable that hides a global one', 'local type = type(KEYS)'],
    ['a keyword as a variable', 'local end = 1'],
    ['an unknown character', 'return 1 & 2'],
  ])('rejects %s', (_, source) => {
    expect(() => minify(source)).toThrow(/^Cannot (minify|rename) /)
  })
})
