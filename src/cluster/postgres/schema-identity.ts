/**
 * Users and keys of all nodes: an image of the whole store, rewritten now and then, and the changes behind it. One call of
 * `change_identity` is one change, under a lock of its own, for a node that knows all before it; others get the number of the last one and
 * try again. A repeated call finds its change, and writes, because only a transaction that writes waits for the standby.
 */
export const IDENTITY_SCHEMA = `
CREATE TABLE identity_image (
  version bigint PRIMARY KEY,
  id uuid NOT NULL,
  schema int NOT NULL,
  body bytea NOT NULL
);
ALTER TABLE identity_image ALTER body SET STORAGE EXTERNAL;

CREATE TABLE identity_change (
  version bigint PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  node text NOT NULL,
  summary text NOT NULL,
  body bytea NOT NULL
);

CREATE FUNCTION change_identity(version_ bigint, id_ uuid, node_ text, summary_ text, body_ bytea)
RETURNS TABLE (last_ bigint, done_ boolean) LANGUAGE plpgsql SET search_path = bourse_cluster AS $$
DECLARE
  last bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('bourse_cluster.identity'));
  UPDATE identity_change c SET node = node_ WHERE c.id = id_ RETURNING c.version INTO last;
  IF FOUND THEN
    RETURN QUERY SELECT last, true;
    RETURN;
  END IF;
  SELECT greatest((SELECT max(c.version) FROM identity_change c), (SELECT max(i.version) FROM identity_image i)) INTO last;
  IF last IS DISTINCT FROM version_ - 1 THEN
    RETURN QUERY SELECT last, false;
    RETURN;
  END IF;
  INSERT INTO identity_change VALUES (version_, id_, node_, summary_, body_);
  PERFORM pg_notify('bourse_identity', 'v' || version_);
  RETURN QUERY SELECT version_, true;
END $$;

CREATE FUNCTION save_identity_image(version_ bigint, id_ uuid, schema_ int, body_ bytea, kept_ bigint)
RETURNS void LANGUAGE plpgsql SET search_path = bourse_cluster AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('bourse_cluster.identity'));
  IF NOT EXISTS (SELECT 1 FROM identity_change c WHERE c.version = version_ AND c.id = id_)
    OR EXISTS (SELECT 1 FROM identity_image i WHERE i.version >= version_) THEN
    RETURN;
  END IF;
  INSERT INTO identity_image VALUES (version_, id_, schema_, body_);
  DELETE FROM identity_image i WHERE i.version < version_;
  DELETE FROM identity_change c WHERE c.version < version_ - kept_;
END $$;
`;

export const IDENTITY_CHANNEL = 'bourse_identity';
