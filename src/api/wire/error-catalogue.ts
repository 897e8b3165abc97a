/**
 * Every error code of a request in one table: meaning, HTTP status unless it is 400, the older code of the same
 * meaning for clients that know only those (`errorDialect: "classic"`, wire 2.4), and when to send the request again
 * unless it must be corrected first. `docs/errors.md` is this table, printed. The message of an error adds the wrong
 * value and the valid ones.
 */
interface Entry {
  readonly means: string;
  readonly status?: number;
  readonly classic?: string;
  readonly again?: Again;
}

/**
 * When a refused request may be sent again: when what is wrong in it is put right; later, as it is; or only after
 * asking what became of it, because its outcome is unknown.
 */
export type Again = 'corrected' | 'later' | 'asked';

export const CATALOGUE = {
  // Transport, keys and signatures
  '429': {
    means: 'too often, or too much at once; come back after Retry-After seconds',
    status: 429,
    again: 'later',
  },
  '40001': { means: 'ACCESS-KEY is missing' },
  '40003': { means: 'ACCESS-SIGN is missing' },
  '40005': { means: 'ACCESS-TIMESTAMP is missing or no Unix time' },
  '40007': { means: 'the body is not JSON by its Content-Type, or is compressed' },
  '40008': {
    means:
      'the timestamp is more than 30 seconds off, or with --reject-replays the signed request came before',
  },
  '40009': { means: 'the signature does not match' },
  '40010': {
    means: 'the exchange stopped before the command was safe; ask by clientOid what became of it',
    again: 'asked',
  },
  '40011': { means: 'ACCESS-PASSPHRASE is missing' },
  '40012': { means: 'the passphrase is not that of the key' },
  '40014': { means: 'the key lacks the permission' },
  '40018': { means: 'the address is not on the IP list of the key' },
  '40029': { means: 'only the main account of a broker may do this' },
  '40031': { means: 'the account is frozen', again: 'later' },
  '40037': { means: 'there is no such key' },
  '40068': { means: 'the sub-account, or its main account, is frozen', again: 'later' },
  '40404': { means: 'there is nothing at this path', status: 404 },

  // Parameters
  '40017': { means: 'a parameter is not what it must be' },
  '40019': { means: 'a parameter is missing' },
  '40020': { means: 'a parameter is none of the words it may be, or out of range' },
  '40034': { means: 'what a parameter names does not exist' },
  '40036': { means: 'the passphrase given for a key is not its own' },
  '40070': { means: 'a passphrase is not 8 to 32 letters and digits' },
  '40306': { means: 'a batch has too many items' },

  // System and account
  '25000': {
    means: 'internal error; the result of a change is unknown until it is queried',
    status: 500,
    again: 'asked',
  },
  '25002': { means: 'this is closed, or not for this account' },
  '25005': { means: 'the account is not known, or not yours' },
  '25008': { means: 'the account is being liquidated', again: 'later' },
  '25009': { means: 'accounts have no other mode than unified and advanced' },
  '25010': { means: 'positions or orders are open that must be closed first' },
  '25013': { means: 'the pair is not open to the API at the moment', again: 'later' },
  '25620': { means: 'the broker withholds this right from the sub-account', classic: '40014' },

  // Instruments and prices
  '25100': { means: 'the trading pair is not known', classic: '40102' },
  '25101': { means: 'the pair takes no sell or closing orders at the moment', again: 'later' },
  '25102': { means: 'the pair is offline', classic: '41114', again: 'later' },
  '25103': { means: 'the pair is listed but not open yet', classic: '43115', again: 'later' },
  '25104': { means: 'the contract is offline', classic: '40309', again: 'later' },
  '25105': { means: 'the pair takes no buy or opening orders at the moment', again: 'later' },
  '25106': { means: 'trading is halted, or the delivery is near', classic: '41114', again: 'later' },
  '25108': { means: 'there is no fresh index price', again: 'later' },
  '25110': { means: 'deposits of the coin over this network are closed', again: 'later' },

  // Orders
  '25200': { means: 'a value is out of range, or came too late', classic: '40017' },
  '25201': { means: 'the coin is not known, or not one of these' },
  '25202': { means: 'the balance is insufficient', classic: '43012' },
  '25203': { means: 'the margin is insufficient', classic: '40762' },
  '25204': { means: 'there is no such order, or loan', classic: '43001' },
  '25205': { means: 'the price of a sell is below the price band', classic: '41117' },
  '25206': { means: 'the price of a buy is above the price band', classic: '41117' },
  '25207': { means: 'the quantity is below the minimum', classic: '45110' },
  '25208': { means: 'the quantity is above the maximum', classic: '45113' },
  '25211': { means: 'too many orders, or loans, are open' },
  '25212': { means: 'the clientOid is in use', classic: '40500' },
  '25218': { means: 'the account, or loan, would be too close to liquidation' },
  '25223': { means: 'the leverage is out of range' },
  '25225': { means: 'more than is free of the position' },
  '25227': { means: 'there is no such position' },
  '25228': { means: 'there is not enough margin for this leverage', classic: '40712' },
  '25229': { means: 'too many positions are open' },
  '25232': { means: 'a reduce-only order does not go against the position' },
  '25233': { means: 'the position would be above what its leverage allows', classic: '40762' },
  '25236': { means: 'posSide does not suit the position mode', classic: '40774' },
  '25238': { means: 'one of two amounts must be given, and only one' },
  '25240': { means: 'not offered, or not to this account' },
  '25244': { means: 'the price is no multiple of the tick', classic: '40808' },
  '25568': { means: 'the order cannot be modified so' },
  '25571': { means: 'the modification would change nothing' },
  '25572': { means: 'too many modifications of the order are under way', again: 'later' },
  '25573': { means: 'an earlier modification failed and the order was cancelled' },
  '25610': { means: 'the quantity is no multiple of its step', classic: '41103' },
  '25611': { means: 'the order is worth less than the minimum', classic: '45110' },
  '25654': { means: 'the price is below the bankruptcy price of the long position' },
  '25655': { means: 'the price is above the bankruptcy price of the short position' },

  // Take-profit, stop-loss and trigger orders
  '25579': { means: 'takeProfit of a long is not above its average price' },
  '25580': { means: 'stopLoss of a long is not below its average price' },
  '25581': { means: 'takeProfit of a short is not below its average price' },
  '25582': { means: 'stopLoss of a short is not above its average price' },
  '25585': { means: 'takeProfit of a long is not above the last price' },
  '25586': { means: 'stopLoss of a long is not below the last price' },
  '25587': { means: 'takeProfit of a short is not below the last price' },
  '25588': { means: 'stopLoss of a short is not above the last price' },
  '25589': { means: 'takeProfit of a long is not above the mark price' },
  '25590': { means: 'stopLoss of a long is not below the mark price', classic: '40917' },
  '25591': { means: 'takeProfit of a short is not below the mark price' },
  '25592': { means: 'stopLoss of a short is not above the mark price', classic: '45122' },
  '25593': { means: 'the pair has no positions: tpslMode must be partial' },
  '25594': { means: 'the position has a full take-profit and stop-loss already' },
  '25595': { means: 'more than the position has left for partial ones' },
  '25597': { means: 'there is no such strategy order', classic: '43001' },
  '25598': { means: 'the strategy order has fired already', classic: '43001' },
  '25599': { means: 'too many strategy orders wait' },
  '25600': { means: 'the strategy order would not change' },
  '25601': { means: 'there is no position to protect' },
  '25602': { means: 'takeProfit is out of range' },
  '25603': { means: 'stopLoss is out of range' },
  '25604': { means: 'tpLimitPrice is out of range' },
  '25605': { means: 'slLimitPrice is out of range' },
  '25606': { means: 'takeProfit is no multiple of the tick' },
  '25607': { means: 'stopLoss is no multiple of the tick' },
  '25608': { means: 'tpLimitPrice is no multiple of the tick' },
  '25609': { means: 'slLimitPrice is no multiple of the tick' },
  '25612': { means: 'takeProfit and stopLoss come with opening orders only' },

  // Wallets
  '11000': { means: 'the address book is locked and does not hold the address' },
  '13001': { means: 'too many withdrawals wait to be settled', again: 'later' },
  '13002': { means: 'the coin of a withdrawal is not known' },
  '13003': { means: 'the venue does not hold as much of the coin now', again: 'later' },
  '43117': { means: 'more than can be transferred', classic: '43012' },
} as const satisfies Record<string, Entry>;

export type WireCode = keyof typeof CATALOGUE;

export const entryOf = (code: WireCode): Entry => CATALOGUE[code];
