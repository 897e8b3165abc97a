/**
 * Every reason the core can refuse a command for. Expected refusals are values, never exceptions; the gateway
 * maps each to a wire code, message and HTTP status in one table. A refused command changes nothing.
 */
export const Refusal = {
  none: 0,

  unknownAccount: 1,
  unknownCoin: 2,
  unknownInstrument: 3,
  unknownOrder: 4,

  // Instrument status (domain.md 1.3)
  instrumentListed: 10,
  instrumentOffline: 11,
  openingRestricted: 12,
  closingRestricted: 13,
  apiRestricted: 14,
  categoryNotTradable: 15,
  tradingHalted: 16,
  deliveryNear: 17,

  // Shape of an order
  illegalCombination: 20,
  priceOffTick: 21,
  priceOutOfRange: 22,
  sizeOffStep: 23,
  sizeTooSmall: 24,
  sizeTooLarge: 25,
  amountOffPrecision: 26,
  belowMinimumAmount: 27,
  buyAboveBand: 28,
  sellBelowBand: 29,
  rpiNotAllowed: 30,
  tooManyOpenOrders: 31,
  clientOidInUse: 32,

  // Money
  insufficientBalance: 40,
  amountOutOfRange: 41,
  sameWallet: 42,
  notOneParty: 43,
  transferOidInUse: 44,
  unknownWithdrawal: 45,
  tooManyWithdrawals: 46,
  feeAboveAmount: 47,

  // Amend
  nothingToAmend: 50,
  notAmendable: 51,
  sizeBelowFilled: 52,
  tooManyOutstandingAmends: 53,
  amendAfterFailure: 54,
  amendWouldTake: 55,
  duplicateInBatch: 56,

  // Futures
  accountLiquidating: 70,
  positionSideNeeded: 71,
  noPositionToClose: 72,
  closesWrongWay: 73,
  closeAboveAvailable: 74,
  aboveTier: 75,
  leverageAboveMaximum: 76,
  leverageNeedsMargin: 77,
  insufficientMargin: 78,
  riskTooHigh: 79,
  beyondBankruptcy: 80,
  positionsOrOrdersOpen: 81,
  tooManyPositions: 82,
  noIndexPrice: 83,
  marginTooLow: 84,

  // Pledge loans
  coinNotOffered: 90,
  oneAmountNeeded: 91,
  noCoinPrice: 92,
  loanTooSmall: 93,
  loanTooLarge: 94,
  pledgeTooSmall: 95,
  pledgeTooLarge: 96,
  tooManyLoans: 97,
  unknownLoan: 98,
  otherPledgeCoin: 99,
  pledgeNeeded: 100,

  // Operator and account commands
  alreadyExists: 60,
  invalidSpecification: 61,
  invalidCountdown: 62,
  accountsFull: 63,
} as const;
export type Refusal = (typeof Refusal)[keyof typeof Refusal];
