/**
 * A Lua script with its SHA-1. The hash is a constant, which saves a SCRIPT LOAD request. A node sends EVALSHA first,
 * and EVAL if the server replies NOSCRIPT.
 */
export type Script = { readonly sha: string; readonly source: string }
