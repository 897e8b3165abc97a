/** Conversions: coins sold to the house for others that were owed. */
import type { Converted } from '../../core/model/event.ts';
import { CONVERSION_FIELDS, type ConversionView, conversionView } from '../../views/conversion-view.ts';
import { formatId } from '../../views/format.ts';
import type { ConversionQuery } from '../history.ts';
import type { Read } from '../read.ts';
import type { NameResolver } from './name-resolver.ts';
import type { Pages } from './pages.ts';
import { type Row, type RowValues, textsAmong, UserTable } from './table.ts';

export const CONVERSIONS = new UserTable({
  name: 'conversions',
  id: 'conversion_id',
  created: 'ts',
  before: ['conversion_id', 'uid'],
  texts: textsAmong(CONVERSION_FIELDS, ['conversionId', 'ts']),
  after: ['ts'],
});

export function conversionRow(conversion: Converted, names: NameResolver): RowValues {
  const { conversionId, uid, time } = conversion;
  return CONVERSIONS.row([conversionId, uid], conversionView(conversion, names.coin), [time]);
}

function readConversion(row: Row): ConversionView {
  return { conversionId: formatId(Number(row[0])), ...CONVERSIONS.textsOf(row), ts: String(row.at(-1)) };
}

export function* conversions(pages: Pages, query: ConversionQuery): Read<ConversionView[]> {
  const { uid, fromCoin, toCoin } = query;
  const filters = { uid, from_coin: fromCoin, to_coin: toCoin };
  const rows = yield* pages.page(CONVERSIONS, 'conversions_by_uid', query, filters);
  return rows.map(readConversion);
}
