/** The audit log of all nodes. */

export const AUDIT_SCHEMA = `
CREATE TABLE audit (
  no bigint PRIMARY KEY,
  line text NOT NULL
);
`;
