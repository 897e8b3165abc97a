/** History and log do not meet: what lies between would be missing for ever. */
export class HistoryGap extends Error {
  override name = 'HistoryGap';
}
