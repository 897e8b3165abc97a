/** Withdrawal requests: to a network with its fee and minimum, or to another account of the exchange. */
import type { InternalWithdrawal, RequestWithdrawal, Unstamped } from '../../../core/model/command.ts';
import { formatOrderId } from '../../../core/model/order-id.ts';
import { RejectReason } from '../../../core/model/reject-reason.ts';
import { formatMoney, MONEY_SCALE, parseUnits } from '../../../core/model/units.ts';
import type { State } from '../../../core/state/state.ts';
import type { Destination, Identity, User } from '../../../identity/identity.ts';
import type { Sequencer } from '../../../sequencer/sequencer.ts';
import { findChain, findCoin, lacksRight, moneyOf, type NamedCoin } from '../../wire/money-input.ts';
import { rejectError } from '../../wire/reject-messages.ts';
import { WireError, wireError } from '../../wire/wire-error.ts';

export interface WithdrawalInput {
  readonly coin: string;
  readonly transferType: 'on_chain' | 'internal_transfer';
  readonly address: string;
  readonly size: string;
  readonly chain?: string | undefined;
  readonly tag?: string | undefined;
  readonly clientOid?: string | undefined;
  /** Some of `ACCOUNT_TYPES`, separated by commas. */
  readonly accountType?: string | undefined;
}

/** No account has an `otc` wallet: it pays nothing. */
const ACCOUNT_TYPES: readonly string[] = ['funding', 'uta', 'otc'];

export async function requestWithdrawal(
  { sequencer, identity }: { readonly sequencer: Sequencer; readonly identity: Identity },
  user: User,
  input: WithdrawalInput,
) {
  const denied = lacksRight(user, 'withdraw');
  if (denied !== undefined) return denied;
  const command = withdrawalCommand(sequencer.state, user.uid, input);
  if (command instanceof WireError) return command;
  if (!identity.addresses.admits(user.mainUid ?? user.uid, destinationOf(sequencer.state, command))) {
    return wireError('11000', 'address is not in the address book, and the book is locked');
  }
  const result = await sequencer.submit(command);
  if (result.rejectReason === RejectReason.unknownAccount) {
    return wireError('25005', 'address must be the uid of another account');
  }
  if (result.rejectReason !== RejectReason.none) return rejectError(sequencer.state, result);
  return { orderId: formatOrderId(result.orderId), clientOid: result.clientOid };
}

function destinationOf(
  state: State,
  command: Unstamped<RequestWithdrawal | InternalWithdrawal>,
): Destination {
  if (command.type === 'internalWithdrawal') {
    return { type: 'internal', coin: '', chain: '', address: String(command.toUid), memo: '' };
  }
  const { chain, address, tag } = command;
  return { type: 'regular', coin: state.coins[command.coin]!.coin, chain, address, memo: tag };
}

function withdrawalCommand(
  state: State,
  uid: number,
  input: WithdrawalInput,
): Unstamped<RequestWithdrawal | InternalWithdrawal> | WireError {
  const coin = findCoin(state, input.coin);
  if (coin === undefined) return wireError('13002', 'coin is not known');
  const amount = moneyOf(input.size, 'size');
  if (amount instanceof WireError) return amount;
  const wallets = walletsOf(input.accountType);
  if (wallets instanceof WireError) return wallets;
  const common = { uid, coin: coin.index, amount, ...wallets, clientOid: input.clientOid ?? '' };
  return input.transferType === 'on_chain' ? onChain(coin, input, common) : inside(input, common);
}

type Common = Omit<Unstamped<InternalWithdrawal>, 'type' | 'toUid'>;

function onChain(
  coin: NamedCoin,
  input: WithdrawalInput,
  common: Common,
): Unstamped<RequestWithdrawal> | WireError {
  if (input.chain === undefined) return wireError('40019', 'parameter chain must not be empty');
  const chain = findChain(coin, input.chain, 'withdrawable');
  if (chain instanceof WireError) return chain;
  if (chain.needTag && input.tag === undefined) {
    return wireError('40019', `parameter tag must not be empty: ${chain.chain} needs one`);
  }
  const minimum = parseUnits(chain.minWithdrawAmount, MONEY_SCALE)!;
  if (common.amount < minimum) {
    const least = `${formatMoney(minimum)} ${coin.spec.coin}`;
    return wireError('25611', `size must be at least ${least} over ${chain.chain}`);
  }
  return {
    type: 'requestWithdrawal',
    ...common,
    fee: parseUnits(chain.withdrawFee, MONEY_SCALE)!,
    address: input.address,
    chain: chain.chain,
    tag: input.tag ?? '',
  };
}

function inside(input: WithdrawalInput, common: Common): Unstamped<InternalWithdrawal> | WireError {
  const toUid = /^[0-9]{1,16}$/.test(input.address) ? Number(input.address) : 0;
  if (toUid === common.uid) return wireError('40017', 'address must be the uid of another account');
  return { type: 'internalWithdrawal', ...common, toUid };
}

/** The funding wallet pays before the unified account, in whatever order they are named; both when none is. */
function walletsOf(accountType: string | undefined) {
  const named =
    accountType
      ?.toLowerCase()
      .split(',')
      .map((word) => word.trim()) ?? ACCOUNT_TYPES;
  const fromFunding = named.includes('funding');
  const fromUnified = named.includes('uta');
  if (named.every((word) => ACCOUNT_TYPES.includes(word)) && (fromFunding || fromUnified)) {
    return { fromFunding, fromUnified };
  }
  return wireError('40020', 'parameter accountType must be funding, uta or funding,uta');
}
