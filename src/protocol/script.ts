/**
 * A Lua script with its SHA-1. The hash is a constant so that no request is spent on SCRIPT LOAD: a
 * node runs EVALSHA first, and EVAL where the server replies NOSCRIPT.
 */
export type Script = { readonly sha: string; readonly source: string }
