/** The wallet that deposits of a coin are credited to (wire 4.3), chosen by the owner. */

import { Wallet } from '../../../core/model/enums.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { Type } from '../../../validation/schema.ts';
import { type Route, route } from '../../route.ts';
import { CoinName, findCoin, lacksRight, unknownCoin } from '../../wire/money-input.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import { Success } from '../../wire/responses.ts';

export const depositAccountRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v3/account/deposit-account',
    summary: 'Says into which wallet deposits of a coin are credited from now on',
    group: 'Deposits',
    access: 'mgt_write',
    perSecond: 1,
    body: Type.Object({
      coin: CoinName,
      accountType: Type.Enum(['funding', 'unified'] as const, {
        description: 'the unified account when nothing was chosen; nobody has an otc wallet here',
      }),
    }),
    data: Success,
    handle: async ({ sequencer, caller: { user }, body }) => {
      const denied = lacksRight(user, 'deposit');
      if (denied !== undefined) return denied;
      const coin = findCoin(sequencer.state, body.coin);
      if (coin === undefined) return unknownCoin();
      const result = await sequencer.submit({
        type: 'setDepositWallet',
        uid: user.uid,
        coin: coin.index,
        wallet: Wallet[body.accountType],
      });
      return result.rejectReason === RejectReason.none ? 'success' : rejectError(sequencer.state, result);
    },
  }),
];
