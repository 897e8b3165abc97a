/** Stands in for `harness/stream-client.ts` while the contract is recorded and played back: what is traded over a socket. */
import { StreamClient as Real } from '../../harness/stream-client.ts';
import { tape } from './tape.ts';

export const StreamClient = {
  login: async (...given: Parameters<typeof Real.login>) => {
    const socket = tape.recording ? await Real.login(...given) : undefined;
    return {
      /** The turn alone tells the requests apart: they carry times. */
      trade: async (...asked: Parameters<Real['trade']>) =>
        (await tape.ask('socket', () => socket!.trade(...asked))) ?? { args: [{ orderId: '' }] },
      close: () => socket?.close(),
    };
  },
};
