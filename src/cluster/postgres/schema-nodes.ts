/** Nodes, what one of them does for all, and the snapshots that new ones begin with. */

/**
 * A node writes its row each second. A duty belongs to one node until its time is over; `epoch` grows with each holder, and
 * `append` refuses packs of an earlier one. A snapshot has parts of 8 MiB and counts when it is `whole`.
 */
export const NODE_SCHEMA = `
CREATE TABLE node (
  name text PRIMARY KEY,
  run bigint NOT NULL,
  role text NOT NULL,
  url text NOT NULL,
  operator_url text,
  version text NOT NULL,
  edition_max int NOT NULL,
  applied bigint NOT NULL,
  applied_seq bigint NOT NULL,
  hash_no bigint,
  hash bytea,
  identity_seen bigint NOT NULL,
  seen timestamptz NOT NULL
);

CREATE TABLE duty (
  name text PRIMARY KEY,
  node text NOT NULL,
  epoch bigint NOT NULL,
  until timestamptz NOT NULL
);

CREATE TABLE snapshot (
  no bigint PRIMARY KEY,
  next_seq bigint NOT NULL,
  chain bytea NOT NULL,
  time bigint NOT NULL,
  edition int NOT NULL,
  bytes bigint NOT NULL,
  sha256 bytea NOT NULL,
  whole boolean NOT NULL
);

CREATE TABLE snapshot_part (
  no bigint NOT NULL REFERENCES snapshot ON DELETE CASCADE,
  part int NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (no, part)
);
ALTER TABLE snapshot_part ALTER body SET STORAGE EXTERNAL;
`;
