/** Input of the wallet routes: coins, amounts, networks, and accounts of the caller. */

import { WALLET_NAMES, type Wallet, type WalletName } from '../../core/model/enums.ts';
import type { ChainSpec, CoinSpec } from '../../core/model/listing-spec.ts';
import { MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import type { State } from '../../core/state/state.ts';
import type { Identity, SubRight, User } from '../../identity/identity.ts';
import { Type } from '../../validation/schema.ts';
import { type WireError, wireError } from './wire-error.ts';

export const CoinName = Type.String({
  pattern: '^[A-Za-z0-9]{1,20}$',
  description: 'coin name, such as USDT',
});
/** The older account types do not exist beside a unified account. */
export const WalletType = Type.Enum(['spot', 'uta'] satisfies WalletName[], {
  description:
    'spot is the funding wallet, uta the unified account; other kinds of account do not exist here',
});
/** Longer than an order's: wire 4.4. */
export const MovementOid = Type.String({
  pattern: '^[.A-Z:/a-z0-9_-]{1,64}$',
  description: "the client's own id, used once: a retry with it moves nothing twice",
});
export const Uid = Type.String({ pattern: '^[0-9]{1,16}$', description: 'account number' });

export interface NamedCoin {
  readonly index: number;
  readonly spec: CoinSpec;
}

export function findCoin(state: State, name: string): NamedCoin | undefined {
  const index = state.coinByName.get(name.toUpperCase());
  return index === undefined ? undefined : { index, spec: state.coins[index]! };
}

export function unknownCoin(field = 'coin'): WireError {
  return wireError('25201', `${field} is not known`);
}

/** Money in 10^-8 of the coin; the core rejects zero and amounts out of range. */
export function moneyOf(text: string, field: string): bigint | WireError {
  return (
    parseUnits(text, MONEY_SCALE) ??
    wireError('40017', `parameter ${field} may have at most ${MONEY_SCALE} decimals`)
  );
}

export function walletOf(name: WalletName): Wallet {
  return WALLET_NAMES.indexOf(name) as Wallet;
}

/** Letter case is ignored; without a name it is the first open network. */
export function findChain(
  { spec }: NamedCoin,
  name: string | undefined,
  open: 'rechargeable' | 'withdrawable',
): ChainSpec | WireError {
  const { coin, chains } = spec;
  const named = name?.toLowerCase();
  const chain =
    named === undefined
      ? chains.find((each) => each[open])
      : chains.find((each) => each.chain.toLowerCase() === named);
  if (chain === undefined) {
    const known = chains.map((each) => each.chain).join(', ');
    return wireError('40034', `chain: ${coin} has ${known === '' ? 'no network' : `the networks ${known}`}`);
  }
  if (chain[open]) return chain;
  return open === 'rechargeable'
    ? wireError('25110', `deposits of ${coin} over ${chain.chain} are closed`)
    : wireError('25002', `withdrawals of ${coin} over ${chain.chain} are closed`);
}

/** A sub-account of the caller. Another owner's sub-account and an unknown one give the same error. */
export function findOwnSub(identity: Identity, user: User, subUid: string): User | WireError {
  return (
    identity.findSub(user.uid, Number(subUid)) ??
    wireError('25005', 'subUid must be one of your own sub-accounts')
  );
}

/** The caller itself or one of its sub-accounts. */
export function ownAccount(
  identity: Identity,
  caller: User,
  uidText: string,
  field: string,
): User | WireError {
  const uid = Number(uidText);
  return (
    (uid === caller.uid ? caller : identity.findSub(caller.uid, uid)) ??
    wireError('25005', `${field} must be your own account or one of your sub-accounts`)
  );
}

/** A broker may deny rights to its sub-accounts. */
export function lacksRight(user: User, right: SubRight): WireError | undefined {
  if (user.rights.includes(right)) return undefined;
  return wireError('25620', `this sub-account has no right to ${right}`);
}
