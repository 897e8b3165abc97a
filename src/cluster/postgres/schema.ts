/** Tables and functions of a cluster's database; one schema, so that the database may have other tables. */
import { AUDIT_SCHEMA } from './schema-audit.ts';
import { IDENTITY_SCHEMA } from './schema-identity.ts';
import { NODE_SCHEMA } from './schema-nodes.ts';

export const SCHEMA_VERSION = 1;

/**
 * One call of `append` is one statement and one transaction, so that a node that vanishes never holds the lock. The lock is the
 * total order; it is held until the commit is on two machines. A pack that is there already is found again: a retry gets its
 * place, and writes, because only a transaction that writes waits for the standby. The response is one short row, because rows leave while the lock is held: a node that does not read them would stop
 * everybody.
 */
export const SCHEMA = `
CREATE SCHEMA bourse_cluster;
SET LOCAL search_path = bourse_cluster;

CREATE TABLE cluster (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  instance uuid NOT NULL DEFAULT gen_random_uuid(),
  schema_version int NOT NULL,
  keys_fingerprint bytea NOT NULL
);

CREATE SEQUENCE run;

CREATE TABLE pack (
  no bigint PRIMARY KEY,
  first_seq bigint NOT NULL,
  commands int NOT NULL,
  run bigint NOT NULL,
  run_pack bigint NOT NULL,
  confirmed bigint NOT NULL,
  at bigint NOT NULL,
  stamp bigint NOT NULL,
  deadline bigint NOT NULL,
  as_of bigint NOT NULL,
  digest bigint NOT NULL,
  duty text,
  epoch bigint,
  chain bytea NOT NULL,
  body bytea NOT NULL
);
ALTER TABLE pack ALTER body SET STORAGE EXTERNAL;

CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql AS
  $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE FUNCTION append(
  run_ bigint, run_pack_ bigint, known_ bigint, confirmed_ bigint, stamp_ bigint, deadline_ bigint,
  as_of_ bigint, digest_ bigint, duty_ text, epoch_ bigint, commands_ int, body_ bytea
) RETURNS TABLE (no_ bigint, first_seq_ bigint, at_ bigint) LANGUAGE plpgsql SET search_path = bourse_cluster AS $$
DECLARE
  last_no bigint;
  next_seq bigint;
  last_at bigint;
  last_chain bytea;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('bourse_cluster.pack'));
  RETURN QUERY UPDATE pack p SET run = run_
    WHERE p.no > known_ AND p.run = run_ AND p.run_pack = run_pack_ RETURNING p.no, p.first_seq, p.at;
  IF FOUND THEN RETURN; END IF;
  IF duty_ IS NOT NULL AND NOT EXISTS (SELECT 1 FROM duty d WHERE d.name = duty_ AND d.epoch = epoch_) THEN
    RAISE EXCEPTION 'the duty % has another holder', duty_ USING ERRCODE = 'BRS01';
  END IF;
  SELECT p.no, p.first_seq + p.commands, p.at, p.chain INTO last_no, next_seq, last_at, last_chain
    FROM pack p ORDER BY p.no DESC LIMIT 1;
  IF NOT FOUND THEN
    last_no := 0; next_seq := 1; last_at := 0; last_chain := decode(repeat('00', 32), 'hex');
  END IF;
  IF last_no < known_ THEN
    RAISE EXCEPTION 'pack % is missing', known_ USING ERRCODE = 'BRS02';
  END IF;
  RETURN QUERY INSERT INTO pack AS p VALUES (
    last_no + 1, next_seq, commands_, run_, run_pack_, confirmed_, greatest(last_at, now_ms()), stamp_, deadline_,
    as_of_, digest_, duty_, epoch_, sha256(last_chain || sha256(body_)), body_
  ) RETURNING p.no, p.first_seq, p.at;
  PERFORM pg_notify('bourse_cluster', (last_no + 1)::text);
END $$;
${NODE_SCHEMA}${IDENTITY_SCHEMA}${AUDIT_SCHEMA}`;

/** The SQLSTATE of `append` when the duty has another holder. */
export const FENCED = 'BRS01';
export const CHANNEL = 'bourse_cluster';
