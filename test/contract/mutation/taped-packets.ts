/** Stands in for `security/hostile/raw-http.ts` while the contract is recorded and played back. */
import * as real from '../../security/hostile/raw-http.ts';
import { tape } from './tape.ts';

export const { requestBytes } = real;

/** Packets carry signatures, which differ from run to run: the turn alone tells them apart. */
export const converse: typeof real.converse = async (...packet) => {
  const kept = await tape.ask('packet', () => real.converse(...packet));
  return kept ?? { replies: [], rest: '', closedByServer: true, elapsedMs: 0 };
};
