/**
 * Fills a new exchange: the catalogue, then the demo accounts with their money. Every step looks at the state first,
 * so a start that was cut off anywhere is completed by the next, and a later start adds what the catalogue has gained.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalogue } from '../../catalogue/catalogue.ts';
import type { Command, Unstamped } from '../../core/model/command.ts';
import type { CommandResult } from '../../core/model/command-result.ts';
import { RejectReason } from '../../core/model/reject-reason.ts';
import { MONEY_SCALE, parseUnits } from '../../core/model/units.ts';
import {
  DEMO_ACCOUNTS,
  type OpenedDemoAccount,
  openDemoAccounts,
  writeDemoAccountsFile,
} from '../../identity/demo-accounts.ts';
import type { Identity } from '../../identity/identity.ts';
import { type Sequencer, Unavailable } from '../../sequencer/sequencer.ts';

/** The one demo account that may place `rpi` orders. */
const MARKET_MAKER = 'maker';

/** Lists what the exchange does not have yet. */
export async function listCatalogue(sequencer: Sequencer, catalogue: Catalogue): Promise<void> {
  const { state } = sequencer;
  await carryOut(sequencer, () =>
    catalogue.coins
      .filter(({ coin }) => !state.coinByName.has(coin))
      .map((spec): Unstamped<Command> => ({ type: 'listCoin', spec })),
  );
  await carryOut(sequencer, () =>
    catalogue.instruments
      .filter(({ category, symbol }) => state.instrument(category, symbol) === undefined)
      .map((spec): Unstamped<Command> => ({ type: 'listInstrument', spec })),
  );
}

/** What a demo venue has to lend, by coin. */
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

/** Opens the demo accounts and resolves when their keys, money and access file are in place. */
export async function openDemo(
  sequencer: Sequencer,
  identity: Identity,
  dataDirectory: string,
): Promise<readonly OpenedDemoAccount[]> {
  const { accounts, settled } = openDemoAccounts(identity, sequencer.clock.now());
  await carryOut(sequencer, () => accounts.flatMap((opened) => accountCommands(sequencer, opened)));
  await carryOut(sequencer, () => accounts.flatMap((opened) => fundingCommands(sequencer, opened)));
  await carryOut(sequencer, () => poolCommands(sequencer));
  writeDemoAccountsFile(dataDirectory, accounts);
  await settled;
  return accounts;
}

/** Are the published keys among those that this exchange accepts? */
export function hasDemoKeys(identity: Identity): boolean {
  return DEMO_ACCOUNTS.some(({ apiKey }) => identity.findKey(apiKey)?.key.demo === true);
}

function accountCommands(sequencer: Sequencer, { account, uid }: OpenedDemoAccount): Unstamped<Command>[] {
  if (sequencer.state.accountByUid.has(uid)) return [];
  const marketMaker = account.name === MARKET_MAKER;
  return [{ type: 'openAccount', uid, masterUid: 0, marketMaker, house: false }];
}

/** A coin the account has held before was funded before, whatever has become of it since. */
function fundingCommands(sequencer: Sequencer, { account, uid }: OpenedDemoAccount): Unstamped<Command>[] {
  const { state } = sequencer;
  const held = state.ledger.coinsOf(state.accountByUid.get(uid)!.index);
  const commands: Unstamped<Command>[] = [];
  for (const [name, amountText] of Object.entries(account.funding)) {
    const coin = state.coinByName.get(name);
    if (coin === undefined || held.includes(coin)) continue;
    const amount = parseUnits(amountText, MONEY_SCALE)!;
    commands.push({ type: 'deposit', uid, coin, amount, reference: 'demo' });
  }
  return commands;
}

/** A pool that was funded before stays as it is. */
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

/** Commands that share a commit: they fit into the smallest queue, and the log prepares space meanwhile. */
const PACK = 16;
/** A log of small segments may need a moment for the next. */
const WAIT_FOR_SPACE_MS = 20;
const WAITS_MAX = 250;

/**
 * Submits what is missing, in packs that share a commit, and insists that none is refused. A disk that is behind takes a
 * part; the rest is asked for again when it has caught up.
 */
async function carryOut(sequencer: Sequencer, missing: () => Unstamped<Command>[]): Promise<void> {
  let waits = 0;
  for (let pack = missing().slice(0, PACK); pack.length > 0; pack = missing().slice(0, PACK)) {
    const settled = await Promise.allSettled(pack.map((command) => sequencer.submit(command)));
    let behind: Unavailable | undefined;
    for (const [index, given] of settled.entries()) {
      if (given.status === 'fulfilled') refuseRefused(pack[index]!, given.value);
      else if (given.reason instanceof Unavailable && sequencer.failure === undefined) behind = given.reason;
      else throw given.reason;
    }
    if (behind === undefined) continue;
    if (isTaking(sequencer)) await sequencer.durable();
    else if (waits++ < WAITS_MAX) await sleep(WAIT_FOR_SPACE_MS);
    else throw behind;
  }
}

/** Nothing but time keeps the venue from taking commands. */
function isTaking(sequencer: Sequencer): boolean {
  return sequencer.failure === undefined && sequencer.capacity() === 'normal' && !sequencer.memoryShort;
}

function refuseRefused({ type }: Unstamped<Command>, { rejectReason, detail }: CommandResult): void {
  if (rejectReason === RejectReason.none) return;
  throw new Error(`${type} was refused while the exchange was set up: ${detail ?? `reason ${rejectReason}`}`);
}
