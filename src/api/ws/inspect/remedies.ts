/** What would be right, for each code with which the exchange itself refuses: its message has the value and the bound. */
import type { WireCode } from '../../wire/error-catalogue.ts';
import type { RULES } from './why.ts';

const ASK_FIRST = 'ask for the order by its clientOid; send it again only if it is not there';
const MULTIPLE = 'round to a multiple of the step that market/instruments gives for the pair';
const MINIMUM = 'send at least the minimum that market/instruments gives for the pair';
const WAIT_FOR_PAIR = 'wait until market/instruments says that the pair is online, or trade another';
const ADD_MONEY = 'ask for less, or bring more of the coin into this account';
const ADD_MARGIN = 'ask for less, raise the leverage within its limits, close something, or bring more money';
const ABOVE_AVERAGE = 'choose a price above the average price of the position';
const BELOW_AVERAGE = 'choose a price below the average price of the position';
const ABOVE_PRICE = 'choose a price above the present one, which the ticker tells';
const BELOW_PRICE = 'choose a price below the present one, which the ticker tells';
const IN_BAND = 'choose a price within the band around the present one';
const LOOK_UP = 'ask which there are, and name one of them';

export const REMEDIES: Readonly<Record<Exclude<WireCode, keyof typeof RULES>, string>> = {
  '40010': ASK_FIRST,
  '40034': LOOK_UP,
  '40036': 'send the passphrase of the key that is named in the request',
  '40070': 'choose 8 to 32 letters and digits',

  '25000': `${ASK_FIRST}; tell the operator if it happens again`,
  '25002': 'look whether it is open (market/instruments, account/info), or use an account that may do it',
  '25005': 'name an account of your own: user/sub-list shows the sub-accounts',
  '25008': 'wait until the liquidation is over, then look at what is left',
  '25009': 'leave the mode as it is, or choose unified or advanced',
  '25010': 'close the positions and cancel the orders first, then ask again',
  '25013': WAIT_FOR_PAIR,

  '25100': 'take the symbol and category from market/instruments',
  '25101': 'wait, or trade another pair; orders that buy or open are another matter',
  '25102': WAIT_FOR_PAIR,
  '25103': WAIT_FOR_PAIR,
  '25104': WAIT_FOR_PAIR,
  '25105': 'wait, or trade another pair; orders that sell or close are another matter',
  '25106': 'wait until trading goes on, or trade another contract',
  '25108': 'wait for the next price of the index, which comes about once a second',
  '25110': 'choose another network of the coin, or wait until this one is open',

  '25200': 'choose a value within the range that the message names; of a receiveWindow, send sooner',
  '25201': 'take the coin from those that the message or the interface names',
  '25202': ADD_MONEY,
  '25203': ADD_MARGIN,
  '25204': 'ask for the open orders: this one is filled, cancelled, or was never here',
  '25205': IN_BAND,
  '25206': IN_BAND,
  '25207': MINIMUM,
  '25208': 'send at most the maximum that market/instruments gives, in several orders if need be',
  '25211': 'cancel or repay some, or wait until some are done',
  '25212': 'choose a clientOid that no open order has, one for each order',
  '25218': 'take less, or bring more money first',
  '25223': 'choose a leverage within the range that market/instruments gives for the contract',
  '25225': 'close at most what is free: the rest is held by other closing orders',
  '25227': 'ask for the positions (position/current-position), and name one of them',
  '25228': 'bring more money, or choose a higher leverage',
  '25229': 'close a position first',
  '25232': 'leave reduceOnly out, or take the side that closes the position',
  '25233': 'take less, or a lower leverage: larger positions may have less',
  '25236': 'send posSide in hedge mode, and leave it out in one-way mode',
  '25238': 'give one of the two amounts and leave the other out',
  '25240': 'leave it out, or use an account to which it is offered',
  '25244': MULTIPLE,
  '25568': 'cancel the order and place a new one',
  '25571': 'leave it as it is, or send a price or quantity that differs',
  '25572': 'wait for the answers of those that are under way',
  '25573': 'place a new order',
  '25610': MULTIPLE,
  '25611': MINIMUM,
  '25654': 'choose a price above the bankruptcy price',
  '25655': 'choose a price below the bankruptcy price',

  '25579': ABOVE_AVERAGE,
  '25580': BELOW_AVERAGE,
  '25581': BELOW_AVERAGE,
  '25582': ABOVE_AVERAGE,
  '25585': ABOVE_PRICE,
  '25586': BELOW_PRICE,
  '25587': BELOW_PRICE,
  '25588': ABOVE_PRICE,
  '25589': ABOVE_PRICE,
  '25590': BELOW_PRICE,
  '25591': BELOW_PRICE,
  '25592': ABOVE_PRICE,
  '25593': 'send tpslMode partial',
  '25594': 'modify the one that is there, or cancel it first',
  '25595': 'ask for less, or cancel a partial one first',
  '25597': 'ask for the waiting ones (trade/unfilled-strategy-orders): this one has fired, or is cancelled',
  '25598': 'look for the order that it placed (trade/strategy-sub-orders)',
  '25599': 'cancel some, or wait until some have fired',
  '25600': 'leave it as it is, or send a value that differs',
  '25601': 'open the position first',
  '25602': 'choose a takeProfit within the range that the message names',
  '25603': 'choose a stopLoss within the range that the message names',
  '25604': 'choose a tpLimitPrice within the range that the message names',
  '25605': 'choose a slLimitPrice within the range that the message names',
  '25606': MULTIPLE,
  '25607': MULTIPLE,
  '25608': MULTIPLE,
  '25609': MULTIPLE,
  '25612': 'leave takeProfit and stopLoss out of an order that closes, or set them on the position',

  '11000': 'withdraw to an address of the book, or let the owner add this one',
  '13001': 'wait until earlier withdrawals are settled',
  '13002': 'take the coin from public/coins',
  '13003': 'withdraw less, or later',
  '43117': 'transfer at most what account/max-transferable tells',
};
