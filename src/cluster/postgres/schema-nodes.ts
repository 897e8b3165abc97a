/** Nodes, what one of them does for all, and the snapshots that new ones begin with. */

/**
 * A node writes its row each second; `digest` is of its state after pack `applied`. A duty belongs to one node until its time
 * is over; `epoch` grows with each holder, and `append` refuses packs of an earlier one. It is taken under the lock of
 * `append`: what the last holder has appended is before it, and nothing comes after. A snapshot has parts of 8 MiB and counts
 * when it is `whole`.
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
  digest bigint NOT NULL,
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

CREATE FUNCTION take_duty(name_ text, node_ text, lease_ms_ int) RETURNS bigint LANGUAGE plpgsql
  SET search_path = bourse_cluster AS $$
DECLARE
  taken bigint;
  until_ timestamptz;
BEGIN
  PERFORM set_config('synchronous_commit', 'on', true);
  PERFORM pg_advisory_xact_lock(hashtext('bourse_cluster.pack'));
  until_ := clock_timestamp() + lease_ms_ * interval '1 ms';
  INSERT INTO duty AS d VALUES (name_, node_, 1, until_)
    ON CONFLICT (name) DO UPDATE SET node = node_, epoch = d.epoch + 1, until = until_
    WHERE d.until < clock_timestamp() OR d.node = node_
    RETURNING d.epoch INTO taken;
  RETURN taken;
END $$;

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
