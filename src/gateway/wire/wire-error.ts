/**
 * Every way a request can fail, in one table: wire code, HTTP status, and the older code of the same meaning for
 * clients that only know those (`errorDialect: "classic"`, wire.md 2.4). A failure is a value that handlers return.
 */
interface Entry {
  readonly status: number;
  readonly classic?: string;
}

const CATALOGUE = {
  // Transport and authentication
  '429': { status: 429 },
  '40007': { status: 400 },
  '40010': { status: 400 },
  '40014': { status: 400 },
  '40404': { status: 404 },
  // Parameters
  '40017': { status: 400 },
  '40019': { status: 400 },
  '40020': { status: 400 },
  '40034': { status: 400 },
  '40036': { status: 400 },
  '40070': { status: 400 },
  '40306': { status: 400 },
  // System and account
  '25000': { status: 500 },
  '25002': { status: 400 },
  '25005': { status: 400 },
  '25009': { status: 400 },
  '25013': { status: 400 },
  '25100': { status: 400, classic: '40102' },
  '25101': { status: 400 },
  '25102': { status: 400, classic: '41114' },
  '25103': { status: 400, classic: '43115' },
  '25104': { status: 400, classic: '40309' },
  '25105': { status: 400 },
  '25106': { status: 400, classic: '41114' },
  '25110': { status: 400 },
  // Order entry
  '25200': { status: 400, classic: '40017' },
  '25201': { status: 400 },
  '25202': { status: 400, classic: '43012' },
  '25204': { status: 400, classic: '43001' },
  '25008': { status: 400 },
  '25010': { status: 400 },
  '25108': { status: 400 },
  '25203': { status: 400, classic: '40762' },
  '25218': { status: 400 },
  '25223': { status: 400 },
  '25225': { status: 400 },
  '25227': { status: 400 },
  '25228': { status: 400, classic: '40712' },
  '25229': { status: 400 },
  '25232': { status: 400 },
  '25233': { status: 400, classic: '40762' },
  '25236': { status: 400, classic: '40774' },
  '25654': { status: 400 },
  '25205': { status: 400, classic: '41117' },
  '25206': { status: 400, classic: '41117' },
  '25207': { status: 400, classic: '45110' },
  '25208': { status: 400, classic: '45113' },
  '25211': { status: 400 },
  '25212': { status: 400, classic: '40500' },
  '25238': { status: 400 },
  '25240': { status: 400 },
  '25244': { status: 400, classic: '40808' },
  '25568': { status: 400 },
  '25571': { status: 400 },
  '25572': { status: 400 },
  '25573': { status: 400 },
  '25579': { status: 400 },
  '25580': { status: 400 },
  '25581': { status: 400 },
  '25582': { status: 400 },
  '25585': { status: 400 },
  '25586': { status: 400 },
  '25587': { status: 400 },
  '25588': { status: 400 },
  '25589': { status: 400 },
  '25590': { status: 400, classic: '40917' },
  '25591': { status: 400 },
  '25592': { status: 400, classic: '45122' },
  '25593': { status: 400 },
  '25594': { status: 400 },
  '25595': { status: 400 },
  '25597': { status: 400 },
  '25598': { status: 400 },
  '25599': { status: 400 },
  '25600': { status: 400 },
  '25601': { status: 400 },
  '25602': { status: 400 },
  '25603': { status: 400 },
  '25604': { status: 400 },
  '25605': { status: 400 },
  '25606': { status: 400 },
  '25607': { status: 400 },
  '25608': { status: 400 },
  '25609': { status: 400 },
  '25610': { status: 400, classic: '41103' },
  '25611': { status: 400, classic: '45110' },
  '25612': { status: 400 },
  '25620': { status: 400, classic: '40014' },
  // Wallets
  '11000': { status: 400 },
  '13001': { status: 400 },
  '13002': { status: 400 },
  '43117': { status: 400, classic: '43012' },
} as const satisfies Record<string, Entry>;

/** Code to the older one of the same meaning, for all that have one. */
export const CLASSIC_TWINS: ReadonlyMap<string, string> = new Map(
  Object.entries<Entry>(CATALOGUE).flatMap(([code, { classic }]) =>
    classic === undefined ? [] : [[code, classic]],
  ),
);

export type WireCode = keyof typeof CATALOGUE;
export type ErrorDialect = 'v3' | 'classic';

export class WireError {
  readonly code: WireCode;
  readonly msg: string;
  readonly retryAfterMs: number | undefined;

  constructor(code: WireCode, msg: string, retryAfterMs?: number) {
    this.code = code;
    this.msg = msg;
    this.retryAfterMs = retryAfterMs;
  }

  get status(): number {
    return CATALOGUE[this.code].status;
  }

  codeIn(dialect: ErrorDialect): string {
    const entry: Entry = CATALOGUE[this.code];
    return dialect === 'classic' ? (entry.classic ?? this.code) : this.code;
  }
}

export function wireError(code: WireCode, msg: string): WireError {
  return new WireError(code, msg);
}
