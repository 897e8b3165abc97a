/** Users and keys of all nodes. */

export const IDENTITY_SCHEMA = `
CREATE TABLE identity_image (
  version bigint PRIMARY KEY,
  body bytea NOT NULL
);

CREATE TABLE identity_change (
  version bigint PRIMARY KEY,
  node text NOT NULL,
  body bytea NOT NULL
);
`;
