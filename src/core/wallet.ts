/** Money that enters and leaves the venue: the only commands that touch the outside world's account. */
import type { Deposit, Withdraw } from './command.ts';
import type { LedgerLineKind } from './event.ts';
import { Bucket, SystemAccount } from './ledger.ts';
import { MONEY_MAX } from './limits.ts';
import { DONE, type Outcome, refused } from './outcome.ts';
import { Refusal } from './refusal.ts';
import type { State } from './state.ts';
import { Category } from './terms.ts';

export function deposit(state: State, command: Deposit): Outcome {
  const failure = checkMovement(state, command);
  if (failure !== undefined) return failure;
  const { ledger } = state;
  const account = state.accountByUid.get(command.uid)!.index;
  const outside = ledger.cell(SystemAccount.external, command.coin, Bucket.cash);
  ledger.move(outside, ledger.cell(account, command.coin, Bucket.cash), command.amount);
  emitMovement(state, command, 'deposit', command.amount);
  return DONE;
}

/** Only free money can leave: what orders hold stays. */
export function withdraw(state: State, command: Withdraw): Outcome {
  const failure = checkMovement(state, command);
  if (failure !== undefined) return failure;
  const { ledger } = state;
  const { coin, amount } = command;
  const account = state.accountByUid.get(command.uid)!.index;
  const available = ledger.peek(account, coin, Bucket.cash);
  if (available < amount)
    return { refusal: Refusal.insufficientBalance, orderId: 0, clientOid: '', available, coin };
  const outside = ledger.cell(SystemAccount.external, coin, Bucket.cash);
  ledger.move(ledger.cell(account, coin, Bucket.cash), outside, amount);
  emitMovement(state, command, 'withdrawal', -amount);
  return DONE;
}

function checkMovement(state: State, command: Deposit | Withdraw): Outcome | undefined {
  if (!state.accountByUid.has(command.uid)) return refused(Refusal.unknownAccount);
  if (state.coins[command.coin] === undefined) return refused(Refusal.unknownCoin);
  if (command.amount <= 0n || command.amount > MONEY_MAX) return refused(Refusal.amountOutOfRange);
  return undefined;
}

function emitMovement(state: State, command: Deposit | Withdraw, kind: LedgerLineKind, amount: bigint): void {
  const { ledger } = state;
  const account = state.accountByUid.get(command.uid)!;
  state.digest.fold(Number(BigInt.asIntN(32, amount)));
  if (account.house) return;
  state.events.push({
    type: 'ledgerLine',
    lineId: state.nextId(),
    uid: command.uid,
    coin: command.coin,
    kind,
    instrument: -1,
    category: Category.spot,
    amount,
    fee: 0n,
    balance:
      ledger.peek(account.index, command.coin, Bucket.cash) +
      ledger.peek(account.index, command.coin, Bucket.locked),
    reference: command.reference,
    time: state.now,
  });
}
