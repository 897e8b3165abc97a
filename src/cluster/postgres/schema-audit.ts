/**
 * The audit log of all nodes. One call of `append_audit` is one line, for a node that knows all before it. A repeated call finds
 * its line, and writes, because only a transaction that writes waits for the standby.
 */
export const AUDIT_SCHEMA = `
CREATE TABLE audit (
  no bigint PRIMARY KEY,
  line text NOT NULL
);

CREATE FUNCTION append_audit(no_ bigint, line_ text) RETURNS boolean
LANGUAGE plpgsql SET search_path = bourse_cluster AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('bourse_cluster.audit'));
  UPDATE audit a SET line = line_ WHERE a.no = no_ AND a.line = line_;
  IF FOUND THEN RETURN true; END IF;
  IF (SELECT coalesce(max(a.no), 0) FROM audit a) <> no_ - 1 THEN RETURN false; END IF;
  INSERT INTO audit VALUES (no_, line_);
  PERFORM pg_notify('bourse_audit', no_::text);
  RETURN true;
END $$;
`;

export const AUDIT_CHANNEL = 'bourse_audit';
