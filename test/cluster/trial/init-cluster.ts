/** Makes the cluster as operators do. */
import { startProgram } from '../../harness/child-programs.ts';
import { programModule } from '../../harness/program.ts';
import type { Servers } from './servers.ts';

export async function initCluster(servers: Servers, keys: string): Promise<void> {
  const address = servers.addressBy([servers.primary.port, servers.standby.port]);
  const args = [programModule('src/bourse.ts'), 'cluster', 'init', address, '--keys', keys];
  const { code, output } = await startProgram(args, { env: process.env }).ended;
  if (code !== 0) throw new Error(`cluster init ended with code ${code}:\n${output}`);
  await servers.keepPacks();
}
