/** The queries of the history, each a read that has a name and one argument; where it is carried out is left open. */
import type { ReadAnswer, ReadArgument, ReadName } from './database-messages.ts';
import type {
  CandleQuery,
  CandleSeries,
  CommissionQuery,
  ConversionQuery,
  FamilyRecordQuery,
  FillQuery,
  FundingRateQuery,
  GaplessCandleQuery,
  GeneratedQuery,
  LedgerQuery,
  LiquidationQuery,
  LoanQuery,
  LoanRecordKind,
  LoanRecords,
  MoveQuery,
  OrderQuery,
  PositionQuery,
  StrategyQuery,
  TransferQuery,
  WalletRecordQuery,
} from './history.ts';

export abstract class HistoryReads {
  abstract read<Name extends ReadName>(name: Name, argument: ReadArgument<Name>): Promise<ReadAnswer<Name>>;

  closedOrders(query: OrderQuery) {
    return this.read('closedOrders', query);
  }

  orderById(uid: number, orderId: number) {
    return this.read('orderById', { uid, orderId });
  }

  latestOrderByClientOid(uid: number, clientOid: string) {
    return this.read('latestOrderByClientOid', { uid, clientOid });
  }

  fills(query: FillQuery) {
    return this.read('fills', query);
  }

  commissions(query: CommissionQuery) {
    return this.read('commissions', query);
  }

  endedStrategies(query: StrategyQuery) {
    return this.read('endedStrategies', query);
  }

  endedStrategy(uid: number, orderId: number, clientOid: string) {
    return this.read('endedStrategy', { uid, orderId, clientOid });
  }

  closedPositions(query: PositionQuery) {
    return this.read('closedPositions', query);
  }

  positionMoves(query: MoveQuery) {
    return this.read('positionMoves', query);
  }

  ledgerLines(query: LedgerQuery) {
    return this.read('ledgerLines', query);
  }

  transfers(query: TransferQuery) {
    return this.read('transfers', query);
  }

  walletRecords(query: WalletRecordQuery) {
    return this.read('walletRecords', query);
  }

  familyWalletRecords(query: FamilyRecordQuery) {
    return this.read('familyWalletRecords', query);
  }

  conversions(query: ConversionQuery) {
    return this.read('conversions', query);
  }

  candles(query: CandleQuery) {
    return this.read('candles', query);
  }

  lastCandleBefore(series: CandleSeries, openTime: number) {
    return this.read('lastCandleBefore', { series, openTime });
  }

  gaplessCandles(query: GaplessCandleQuery) {
    return this.read('gaplessCandles', query);
  }

  insuranceHours(coin: string, startTime: number) {
    return this.read('insuranceHours', { coin, startTime });
  }

  generatedPart(series: CandleSeries, openTime: number) {
    return this.read('generatedPart', { series, openTime });
  }

  generatedCandles(query: GeneratedQuery) {
    return this.read('generatedCandles', query);
  }

  generatedBooks() {
    return this.read('generatedBooks', undefined);
  }

  fundingRates(query: FundingRateQuery) {
    return this.read('fundingRates', query);
  }

  liquidations(query: LiquidationQuery) {
    return this.read('liquidations', query);
  }

  async loanRecords<Kind extends LoanRecordKind>(kind: Kind, query: LoanQuery): Promise<LoanRecords[Kind][]> {
    return (await this.read('loanRecords', { kind, query })) as unknown as LoanRecords[Kind][];
  }

  counts() {
    return this.read('counts', undefined);
  }
}
