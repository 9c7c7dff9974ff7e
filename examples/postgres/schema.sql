CREATE TABLE locks (
  key TEXT COLLATE "C" PRIMARY KEY,
  value TEXT NOT NULL,
  expires_at FLOAT8 NOT NULL -- ms since 1970, infinity for never
);
CREATE INDEX locks_expires_at ON locks (expires_at);
