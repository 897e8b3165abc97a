/**
 * The layout of each type of command in the journal: its number, and its fields in the order they are written. The table
 * must name every field a command has, with a kind that fits its type. A type keeps its number for ever; a changed layout
 * gets a new one.
 */
import type { Fields } from '../model/bytes.ts';
import type { Command, CommandType, MoveItem, Undated } from '../model/command.ts';
import type { Side } from '../model/enums.ts';
import {
  KEEP_LEG,
  type LegChange,
  legChangeFields,
  legFields,
  NO_LEG,
  type TriggerLeg,
} from '../model/tpsl.ts';

/** Writes or reads one field. `undefined`, an optional field left out or a command that is read, is its default. */
type Step<V> = (f: Fields, value: V | undefined) => V;

const KINDS = {
  u8: (f, value = 0) => f.u8(value),
  u16: (f, value = 0) => f.u16(value),
  i32: (f, value = 0) => f.i32(value),
  f64: (f, value = 0) => f.f64(value),
  money: (f, value = 0n) => f.money(value),
  text: (f, value = '') => f.text(value),
  flag: (f, value = false) => f.flag(value),
  json: (f, value = {}) => JSON.parse(f.text(JSON.stringify(value))),
  leg: (f, value = NO_LEG) => legFields(f, value),
  legChange: (f, value = KEEP_LEG) => legChangeFields(f, value),
  moves: (f, value = []) => moveFields(f, value),
} satisfies {
  u8: Step<number>;
  u16: Step<number>;
  i32: Step<number>;
  f64: Step<number>;
  money: Step<bigint>;
  text: Step<string>;
  flag: Step<boolean>;
  json: Step<object>;
  leg: Step<TriggerLeg>;
  legChange: Step<LegChange>;
  moves: Step<readonly MoveItem[]>;
};
type Kind = keyof typeof KINDS;

type KindOf<V> = [V] extends [boolean]
  ? 'flag'
  : [V] extends [bigint]
    ? 'money'
    : [V] extends [string]
      ? 'text'
      : [V] extends [number]
        ? 'u8' | 'u16' | 'i32' | 'f64'
        : [V] extends [TriggerLeg]
          ? 'leg'
          : [V] extends [LegChange]
            ? 'legChange'
            : [V] extends [readonly MoveItem[]]
              ? 'moves'
              : 'json';
type FieldsOf<C> = Omit<C, 'type' | 'time'>;
interface Row<C> {
  readonly code: number;
  readonly fields: { readonly [K in keyof FieldsOf<C>]-?: KindOf<NonNullable<FieldsOf<C>[K]>> };
}

/** Order commands are by far the most frequent and have layouts in code (`order-layouts.ts`). */
export type OrderCommandType = 'placeOrder' | 'cancelOrder' | 'cancelAll' | 'amendOrders';
type TableType = Exclude<CommandType, OrderCommandType>;

const TABLE: { readonly [T in TableType]: Row<Extract<Command, { type: T }>> } = {
  tick: { code: 1, fields: { by: 'text' } },
  openAccount: {
    code: 2,
    fields: { uid: 'f64', masterUid: 'f64', marketMaker: 'flag', house: 'flag', by: 'text' },
  },
  listCoin: { code: 3, fields: { spec: 'json', by: 'text' } },
  listInstrument: { code: 4, fields: { spec: 'json', by: 'text' } },
  setInstrumentStatus: { code: 5, fields: { instrument: 'u16', status: 'text', by: 'text' } },
  deposit: {
    code: 6,
    fields: {
      uid: 'f64',
      coin: 'u16',
      amount: 'money',
      reference: 'text',
      by: 'text',
      wallet: 'u8',
      chain: 'text',
      address: 'text',
    },
  },
  withdraw: {
    code: 7,
    fields: { uid: 'f64', coin: 'u16', amount: 'money', reference: 'text', by: 'text' },
  },
  setFees: {
    code: 8,
    fields: { uid: 'f64', instrument: 'u16', makerRate: 'money', takerRate: 'money', by: 'text' },
  },
  countdownCancel: { code: 13, fields: { uid: 'f64', seconds: 'u16' } },
  checkpoint: { code: 14, fields: { digest: 'f64' } },
  transfer: {
    code: 15,
    fields: {
      initiatorUid: 'f64',
      fromUid: 'f64',
      toUid: 'f64',
      fromWallet: 'u8',
      toWallet: 'u8',
      coin: 'u16',
      amount: 'money',
      clientOid: 'text',
    },
  },
  requestWithdrawal: {
    code: 16,
    fields: {
      uid: 'f64',
      coin: 'u16',
      amount: 'money',
      fee: 'money',
      fromFunding: 'flag',
      fromUnified: 'flag',
      address: 'text',
      chain: 'text',
      tag: 'text',
      clientOid: 'text',
    },
  },
  endWithdrawal: {
    code: 17,
    fields: { withdrawalId: 'f64', uid: 'f64', paid: 'flag', reference: 'text', by: 'text' },
  },
  setEdition: { code: 44, fields: { edition: 'u8', by: 'text' } },
  setHalt: { code: 18, fields: { halted: 'flag', by: 'text' } },
  setMarketMaker: { code: 19, fields: { uid: 'f64', marketMaker: 'flag', by: 'text' } },
  setFeeDeduction: { code: 20, fields: { uid: 'f64', on: 'flag' } },
  internalWithdrawal: {
    code: 21,
    fields: {
      uid: 'f64',
      toUid: 'f64',
      coin: 'u16',
      amount: 'money',
      fromFunding: 'flag',
      fromUnified: 'flag',
      clientOid: 'text',
    },
  },
  componentPrice: {
    code: 22,
    fields: { index: 'u16', component: 'u8', price: 'money', volume: 'money', by: 'text' },
  },
  setLeverage: {
    code: 23,
    fields: { uid: 'f64', instrument: 'u16', longLeverage: 'u16', shortLeverage: 'u16' },
  },
  setHoldMode: { code: 24, fields: { uid: 'f64', holdMode: 'u8' } },
  setMarginMode: { code: 25, fields: { uid: 'f64', instrument: 'u16', isolated: 'flag' } },
  adjustMargin: { code: 26, fields: { uid: 'f64', instrument: 'u16', posSide: 'u8', amount: 'money' } },
  loanBorrow: {
    code: 27,
    fields: {
      uid: 'f64',
      loanCoin: 'u16',
      pledgeCoin: 'u16',
      term: 'u8',
      loanAmount: 'money',
      pledgeAmount: 'money',
    },
  },
  loanRepay: {
    code: 28,
    fields: { uid: 'f64', loanId: 'f64', fromPledge: 'flag', all: 'flag', amount: 'money', unlock: 'flag' },
  },
  loanRevise: {
    code: 29,
    fields: { uid: 'f64', loanId: 'f64', pledgeCoin: 'u16', into: 'flag', amount: 'money' },
  },
  fundLoanPool: { code: 30, fields: { coin: 'u16', amount: 'money', reference: 'text', by: 'text' } },
  fundInsurance: {
    code: 46,
    fields: { coin: 'u16', lending: 'flag', amount: 'money', reference: 'text', by: 'text' },
  },
  writeOffDebt: { code: 47, fields: { uid: 'f64', by: 'text' } },
  setCoinLimits: {
    code: 51,
    fields: { coin: 'u16', houseShortUsd: 'text', lendShare: 'text', insuranceFloor: 'text', by: 'text' },
  },
  setLoanRate: { code: 31, fields: { coin: 'u16', term: 'u8', yearRate: 'text', by: 'text' } },
  placeStrategy: {
    code: 32,
    fields: {
      uid: 'f64',
      source: 'u8',
      instrument: 'u16',
      kind: 'u8',
      side: 'u8',
      posSide: 'u8',
      reduceOnly: 'flag',
      stpMode: 'u8',
      sizeLots: 'f64',
      quoteAmount: 'money',
      takeProfit: 'leg',
      stopLoss: 'leg',
      trigger: 'leg',
      callbackPpm: 'i32',
      clientOid: 'text',
    },
  },
  modifyStrategy: {
    code: 33,
    fields: {
      uid: 'f64',
      orderId: 'f64',
      clientOid: 'text',
      sizeLots: 'f64',
      quoteAmount: 'money',
      takeProfit: 'legChange',
      stopLoss: 'legChange',
      trigger: 'legChange',
      callbackPpm: 'i32',
    },
  },
  cancelStrategy: { code: 34, fields: { uid: 'f64', orderId: 'f64', clientOid: 'text' } },
  setCoinLeverage: { code: 35, fields: { uid: 'f64', coin: 'u16', leverage: 'u16' } },
  repay: { code: 36, fields: { uid: 'f64', debtCoin: 'u16', payCoin: 'u16' } },
  forceClose: { code: 37, fields: { uid: 'f64', deleverage: 'flag', instrument: 'i32', by: 'text' } },
  forceFunding: { code: 53, fields: { instrument: 'u16', by: 'text' } },
  setDepositWallet: { code: 39, fields: { uid: 'f64', coin: 'u16', wallet: 'u8' } },
  setCommission: { code: 41, fields: { uid: 'f64', rate: 'money', by: 'text' } },
  setBroker: { code: 50, fields: { uid: 'f64', broker: 'flag', by: 'text' } },
  cancelEverything: { code: 43, fields: { uid: 'f64', by: 'text' } },
  skipCommand: { code: 42, fields: { seq: 'f64', by: 'text' } },
  identityMark: { code: 52, fields: { store: 'text', changes: 'f64' } },
  setAutoMargin: { code: 38, fields: { uid: 'f64', instrument: 'u16', posSide: 'u8', room: 'money' } },
  movePositions: {
    code: 40,
    fields: { initiatorUid: 'f64', fromUid: 'f64', toUid: 'f64', items: 'moves', clientOid: 'text' },
  },
};

function moveFields(f: Fields, items: readonly MoveItem[]): MoveItem[] {
  const count = f.u8(items.length);
  return Array.from({ length: count }, (_, n) => ({
    instrument: f.u16(items[n]?.instrument ?? 0),
    side: f.u8(items[n]?.side ?? 0) as Side,
    sizeLots: f.f64(items[n]?.sizeLots ?? 0),
  }));
}

export interface Layout<C extends Command> {
  readonly code: number;
  /** Stands for the command that is read. */
  readonly blank: Undated<C>;
  /**
   * Writes the fields of the command, or reads them, and returns a command of these fields and the time. One description
   * serves both directions, so a command that is applied when it is written is the one that a replay reads.
   */
  readonly fields: (f: Fields, command: Undated<C>, time: number) => C;
}

export function tableLayouts(): Layout<Command>[] {
  return (Object.keys(TABLE) as TableType[]).map((type) => {
    const { code, fields } = TABLE[type] as { code: number; fields: Record<string, Kind> };
    const steps = Object.entries(fields).map(([name, kind]) => [name, KINDS[kind] as Step<unknown>] as const);
    return {
      code,
      blank: { type } as Undated<Command>,
      fields: (f, command, time) => {
        const given = command as unknown as Readonly<Record<string, unknown>>;
        const record: Record<string, unknown> = { type, time };
        for (const [name, step] of steps) record[name] = step(f, given[name]);
        return record as unknown as Command;
      },
    };
  });
}
