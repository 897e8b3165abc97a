/**
 * The demo accounts: the same names, keys and funds on every machine, so that a first order needs no set-up. Their
 * keys are published; `ApiKey.demo` marks them, and they must never be served beyond the local machine.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../storage/durable-file.ts';
import type { Identity, IdentityChanges, InstalledKey, Permission } from './identity.ts';

export interface DemoAccount {
  readonly name: string;
  readonly apiKey: string;
  readonly secretKey: string;
  readonly passphrase: string;
  readonly label: string;
  /** Decimal amount by coin; the start deposits it. */
  readonly funding: Readonly<Record<string, string>>;
}

export interface OpenedDemoAccount {
  readonly account: DemoAccount;
  readonly uid: number;
}

const PERMISSIONS: readonly Permission[] = ['uta_trade', 'uta_mgt', 'withdraw'];

const TRADER_FUNDING = {
  USDT: '100000',
  USDC: '100000',
  BTC: '2',
  ETH: '20',
  SOL: '500',
  XRP: '50000',
  DOGE: '500000',
  ADA: '100000',
  BNB: '100',
  LTC: '500',
} as const;

/** The maker quotes every book on both sides, so it holds a hundred times a trader's funds. */
const MAKER_FUNDING = {
  USDT: '10000000',
  USDC: '10000000',
  BTC: '200',
  ETH: '2000',
  SOL: '50000',
  XRP: '5000000',
  DOGE: '50000000',
  ADA: '10000000',
  BNB: '10000',
  LTC: '50000',
} as const;

export const DEMO_ACCOUNTS: readonly DemoAccount[] = [
  demoAccount('alice', 'demo trader', TRADER_FUNDING),
  demoAccount('bob', 'demo trader', TRADER_FUNDING),
  demoAccount('bot', 'demo trading bot', TRADER_FUNDING),
  demoAccount('maker', 'demo market maker', MAKER_FUNDING),
];

/** Keys follow from the name. */
export function demoAccount(
  name: string,
  label: string,
  funding: Readonly<Record<string, string>>,
): DemoAccount {
  return {
    name,
    apiKey: `demo-${name}`,
    secretKey: `demo-${name}-secret`,
    passphrase: 'demo',
    label,
    funding,
  };
}

export interface OpenedDemoAccounts {
  readonly accounts: readonly OpenedDemoAccount[];
  /** Resolves when all passphrases are hashed or checked; callers need not wait for it. */
  readonly stored: Promise<void>;
}

/** Creates what is missing; the keys work at once, the expensive passphrase hashes follow. */
export async function openDemoAccounts(
  identity: Identity,
  nowMs: number,
  wanted: readonly DemoAccount[] = DEMO_ACCOUNTS,
): Promise<OpenedDemoAccounts> {
  const accounts: OpenedDemoAccount[] = [];
  const stored: Promise<void>[] = [];
  for (const account of wanted) {
    const { key, stored: hashed } = await identity.change((to) => {
      const uid = demoUser(to, account.name, nowMs);
      return installKeyOf(to, uid, account, nowMs);
    });
    stored.push(hashed);
    accounts.push({ account, uid: key.uid });
  }
  return { accounts, stored: Promise.all(stored).then(() => undefined) };
}

/** Resolves when the passphrase of the key is hashed or checked. */
export async function installDemoKey(
  identity: Identity,
  uid: number,
  account: DemoAccount,
  nowMs: number,
): Promise<void> {
  const { stored } = await identity.change((to) => installKeyOf(to, uid, account, nowMs));
  await stored;
}

function installKeyOf(to: IdentityChanges, uid: number, account: DemoAccount, nowMs: number): InstalledKey {
  const installed = to.installKey({
    uid,
    apiKey: account.apiKey,
    secretKey: account.secretKey,
    passphrase: account.passphrase,
    label: account.label,
    permType: 'read_write',
    permissions: PERMISSIONS,
    demo: true,
    nowMs,
  });
  if (!installed.ok) throw new Error(`demo account ${account.name}: ${installed.message}`);
  return installed.value;
}

function demoUser(to: IdentityChanges, name: string, nowMs: number): number {
  const existing = to.findUserByName(name);
  if (existing !== undefined) return existing.uid;
  const created = to.createUser({ name, nowMs });
  if (!created.ok) throw new Error(`demo account ${name}: ${created.message}`);
  return created.value.uid;
}

export const DEMO_ACCOUNTS_FILE = 'demo-accounts.json';

/** Writes the credentials for scripts and examples; returns the path. */
export function writeDemoAccountsFile(dataDirectory: string, opened: readonly OpenedDemoAccount[]): string {
  const path = join(dataDirectory, DEMO_ACCOUNTS_FILE);
  const rows = opened.map(({ account, uid }) => ({
    name: account.name,
    uid,
    apiKey: account.apiKey,
    secretKey: account.secretKey,
    passphrase: account.passphrase,
  }));
  const text = `${JSON.stringify(rows, undefined, 2)}\n`;
  // A start on a full disk must not write without need.
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) replaceFile(path, text);
  return path;
}
