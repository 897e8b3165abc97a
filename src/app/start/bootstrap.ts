/**
 * Fills a new exchange: the catalogue, then the demo accounts with their money. Every step checks the state first, so
 * an interrupted start is completed by the next, and a later start adds new entries of the catalogue.
 */

import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { depositAddress } from '../../api/routes/wallet/deposit-address.ts';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Command, Unstamped } from '../../core/model/command.ts';
import type { CommandResult } from '../../core/model/command-result.ts';
import { insuranceReference, SystemAccount } from '../../core/model/ledger-accounts.ts';
import { RejectReason } from '../../core/model/reject-reason.ts';
import { MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import { coinsEverHeld } from '../../core/reads/ledger-reads.ts';
import {
  DEMO_ACCOUNTS,
  type DemoAccount,
  type OpenedDemoAccount,
  openDemoAccounts,
  writeDemoAccountsFile,
} from '../../identity/demo-accounts.ts';
import type { Identity } from '../../identity/identity.ts';
import { type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';
import { openAddressKey } from './address-key.ts';

/** The only demo account that may place `rpi` orders. */
const MARKET_MAKER = 'maker';

/** Lists coins and instruments of the catalogue that are not listed yet. */
export async function listCatalogue(sequencer: Sequencer, catalogue: Catalogue): Promise<void> {
  const { state } = sequencer;
  await submitMissing(sequencer, () =>
    catalogue.coins
      .filter(({ coin }) => !state.coinByName.has(coin))
      .map((spec): Unstamped<Command> => ({ type: 'listCoin', spec })),
  );
  await submitMissing(sequencer, () =>
    catalogue.instruments
      .filter(({ category, symbol }) => state.instrument(category, symbol) === undefined)
      .map((spec): Unstamped<Command> => ({ type: 'listInstrument', spec })),
  );
}

/** Loan pools of a demo, by coin. */
const DEMO_POOLS: Readonly<Record<string, string>> = {
  USDT: '10000000',
  USDC: '10000000',
  BTC: '150',
  ETH: '3000',
  SOL: '50000',
  XRP: '2000000',
  DOGE: '20000000',
  BNB: '8000',
  LTC: '40000',
  ADA: '5000000',
  LINK: '300000',
  AVAX: '150000',
};

/** Opens the demo accounts and resolves when their keys, money and, in a data directory, access file are in place. */
export async function openDemo(
  sequencer: Sequencer,
  identity: Identity,
  dataDirectory: string | undefined,
  wanted: readonly DemoAccount[] = DEMO_ACCOUNTS,
): Promise<readonly OpenedDemoAccount[]> {
  const { accounts, stored } = await openDemoAccounts(identity, sequencer.clock.now(), wanted);
  await submitMissing(sequencer, () => accounts.flatMap((opened) => accountCommands(sequencer, opened)));
  const addressKey = openAddressKey(identity);
  await submitMissing(sequencer, () =>
    accounts.flatMap((opened) => fundingCommands(sequencer, opened, addressKey)),
  );
  await submitMissing(sequencer, () => poolCommands(sequencer));
  await submitMissing(sequencer, () => insuranceCommands(sequencer));
  if (dataDirectory !== undefined) writeDemoAccountsFile(dataDirectory, accounts);
  await stored;
  return accounts;
}

/** Demo keys that work: an operator may have deleted some. */
export function demoKeys(identity: Identity, accounts: readonly DemoAccount[]) {
  return accounts.flatMap(({ name, apiKey, secretKey, passphrase }) => {
    const found = identity.findKey(apiKey)?.key;
    return found?.demo === true ? [{ name, uid: String(found.uid), apiKey, secretKey, passphrase }] : [];
  });
}

/** Does this exchange accept the published demo keys? */
export function hasDemoKeys(identity: Identity, accounts: readonly DemoAccount[]): boolean {
  return demoKeys(identity, accounts).length > 0;
}

function accountCommands(sequencer: Sequencer, { account, uid }: OpenedDemoAccount): Unstamped<Command>[] {
  if (sequencer.state.accountByUid.has(uid)) return [];
  const marketMaker = account.name === MARKET_MAKER;
  return [{ type: 'openAccount', uid, masterUid: 0, marketMaker, house: false }];
}

/**
 * A coin that the account has ever held was funded before, whatever its balance is now. The money comes like any
 * deposit: over the coin's first open network, to the account's own address.
 */
function fundingCommands(
  sequencer: Sequencer,
  { account, uid }: OpenedDemoAccount,
  addressKey: KeyObject,
): Unstamped<Command>[] {
  const { state } = sequencer;
  const held = coinsEverHeld(state, state.accountByUid.get(uid)!.index);
  const commands: Unstamped<Command>[] = [];
  for (const [name, amountText] of Object.entries(account.funding)) {
    const coin = state.coinByName.get(name);
    if (coin === undefined || held.includes(coin)) continue;
    const amount = parseUnits(amountText, MONEY_SCALE)!;
    const network = state.coins[coin]!.chains.find(({ rechargeable }) => rechargeable);
    commands.push({
      type: 'deposit',
      uid,
      coin,
      amount,
      reference: 'demo',
      ...(network !== undefined && {
        chain: network.chain,
        address: depositAddress(addressKey, uid, name, network).address,
      }),
    });
  }
  return commands;
}

/** A pool that was funded before stays unchanged. */
function poolCommands({ state }: Sequencer): Unstamped<Command>[] {
  const commands: Unstamped<Command>[] = [];
  for (const [name, amountText] of Object.entries(DEMO_POOLS)) {
    const coin = state.coinByName.get(name);
    if (coin === undefined || state.coins[coin]!.loan === undefined || state.loans.funded.has(coin)) continue;
    const amount = parseUnits(amountText, MONEY_SCALE)!;
    commands.push({ type: 'fundLoanPool', coin, amount, reference: 'demo' });
  }
  return commands;
}

/** Each insurance fund of a demo begins with so much of what the loan pool has. */
const POOLS_PER_FUND = 10n;

/** Funds that were seeded before stay unchanged: a lending fund has a row in the ledger from its first money on. */
function insuranceCommands({ state }: Sequencer): Unstamped<Command>[] {
  // In the first edition a fund without budgets would change who pays for a liquidation.
  if (!state.rules.fundReach) return [];
  const seeded = coinsEverHeld(state, SystemAccount.insuranceLending);
  const commands: Unstamped<Command>[] = [];
  for (const [name, amountText] of Object.entries(DEMO_POOLS)) {
    const coin = state.coinByName.get(name);
    if (coin === undefined || seeded.includes(coin)) continue;
    const amount = parseUnits(amountText, MONEY_SCALE)! / POOLS_PER_FUND;
    // In this order: the second is the mark that both are there.
    for (const fund of ['futures', 'lending'] as const)
      if (!state.depositReferences.has(insuranceReference(fund, coin, 'demo')))
        commands.push({
          type: 'fundInsurance',
          coin,
          lending: fund === 'lending',
          amount,
          reference: 'demo',
        });
  }
  return commands;
}

/** Commands that share a commit: they fit into the smallest queue, and the journal prepares space meanwhile. */
const BATCH = 16;
/** A journal with small segments may need a moment to prepare the next. */
const WAIT_FOR_SPACE_MS = 20;
const WAITS_MAX = 250;

/**
 * Submits the missing commands, in batches that share a commit; throws when one is rejected. A slow disk accepts a
 * part of a batch; the rest is submitted again when it has caught up.
 */
export async function submitMissing(
  sequencer: Sequencer,
  missing: () => Unstamped<Command>[],
): Promise<void> {
  let waits = 0;
  for (let batch = missing().slice(0, BATCH); batch.length > 0; batch = missing().slice(0, BATCH)) {
    const results = await Promise.allSettled(batch.map((command) => sequencer.submit(command)));
    let behind: Unavailable | undefined;
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') throwIfRejected(batch[index]!, result.value);
      else if (result.reason instanceof Unavailable && sequencer.failure === undefined)
        behind = result.reason;
      else throw result.reason;
    }
    if (behind === undefined) continue;
    if (acceptsCommands(sequencer)) await sequencer.durable();
    else if (waits++ < WAITS_MAX) await sleep(WAIT_FOR_SPACE_MS);
    else throw behind;
  }
}

/** The sequencer is only behind, not failed or short of a resource. */
function acceptsCommands(sequencer: Sequencer): boolean {
  return sequencer.failure === undefined && sequencer.capacity() === 'normal' && !sequencer.memoryShort;
}

function throwIfRejected({ type }: Unstamped<Command>, { rejectReason, detail }: CommandResult): void {
  if (rejectReason === RejectReason.none) return;
  throw new Error(`${type} was refused while the exchange was set up: ${detail ?? `reason ${rejectReason}`}`);
}
