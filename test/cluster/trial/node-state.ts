/** What a node says of its own state when clients are silent: its hash, from its operator's door, and its row in the database. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../harness/until.ts';
import type { NodeState } from './judge.ts';
import type { ClusterNode } from './node.ts';
import type { Servers } from './servers.ts';

interface Row {
  readonly operator_url: string;
  readonly applied: string;
  readonly applied_seq: string;
  readonly digest: string;
}

/** Once it has applied what clients were told. */
export async function nodeState(
  servers: Servers,
  { name }: ClusterNode,
  keys: string,
  told: number,
): Promise<NodeState> {
  const row = await until(`node ${name} has applied ${told}`, async () => {
    const [found] = (await servers.run(
      `SELECT operator_url, applied, applied_seq, digest FROM node WHERE name = '${name}'`,
    )) as unknown as Row[];
    return found !== undefined && Number(found.applied_seq) >= told && found;
  });
  const token = readFileSync(join(keys, 'operator.token'), 'utf8').trim();
  const response = await fetch(`${row.operator_url}/admin/backups`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ directory: 'compared' }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`node ${name} does not tell its hash: ${text}`);
  const { seq, stateHash } = JSON.parse(text) as { seq: number; stateHash: string };
  return { name, seq, hash: stateHash, no: Number(row.applied), digest: Number(row.digest) };
}
