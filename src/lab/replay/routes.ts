/** Replays of recorded data, `/lab/replay`: how far one is, and how far it deviates from the recording. */
import { AdminError } from '../../admin/admin-error.ts';
import { type OperatorRoute, operatorRoute } from '../../admin/route.ts';
import { REPLAY_DEPTHS } from '../../simulator/recording/recording.ts';
import { Type } from '../../validation/schema.ts';

const Traded = Type.Object({ trades: Type.Integer(), volume: Type.Number() });

export const replayRoutes: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/lab/replay',
    answer: Type.Object({
      file: Type.String(),
      depth: Type.Enum([...REPLAY_DEPTHS]),
      /** In the exchange's time: when the first row happened and the last one will have, and the present. */
      start: Type.Integer(),
      end: Type.Integer(),
      time: Type.Integer(),
      rows: Type.Integer(),
      skipped: Type.Integer(),
      books: Type.Array(
        Type.Object({
          category: Type.String(),
          symbol: Type.String(),
          recorded: Traded,
          traded: Traded,
          withUsers: Traded,
          tooSmall: Traded,
          lastRecorded: Type.Number(),
          lastTraded: Type.Number(),
          distanceBps: Type.Number(),
          distanceBpsMax: Type.Number(),
        }),
      ),
    }),
    handle: ({ market, sequencer }) => {
      const replay = market?.replay;
      if (replay === undefined)
        return new AdminError(
          'not_allowed',
          'nothing is replayed: start with --feed replay:FILE and a market',
        );
      return { ...replay, books: [...replay.books], time: sequencer.clock.now() };
    },
  }),
];
