/**
 * A Lua script with its SHA-1. The hash is a constant, so that SCRIPT LOAD costs no request. A node runs EVALSHA first,
 * and EVAL if the server replies NOSCRIPT.
 */
export type Script = { readonly sha: string; readonly source: string }
