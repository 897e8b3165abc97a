/** The row of a node, as a statement, for tests of what reads it. */

const ROW = {
  run: 1,
  role: 'node',
  url: 'http://node',
  version: '0.9',
  edition_max: 1,
  applied: 0,
  applied_seq: 0,
  digest: 0,
  identity_seen: 0,
};

/** Seen so many seconds ago. */
export function nodeRow(values: Readonly<Record<string, string | number>>, ago: number): string {
  const row = JSON.stringify({ ...ROW, ...values, seen: 'now' });
  return `INSERT INTO bourse_cluster.node SELECT * FROM json_populate_record(NULL::bourse_cluster.node, '${row}');
    UPDATE bourse_cluster.node SET seen = clock_timestamp() - interval '${ago} s' WHERE name = '${String(values.name)}'`;
}
