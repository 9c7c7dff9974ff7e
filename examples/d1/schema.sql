CREATE TABLE locks (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  expires_at INTEGER -- ms since 1970, NULL for never
) WITHOUT ROWID;
CREATE INDEX locks_expires_at ON locks (expires_at);
