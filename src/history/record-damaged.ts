/** A requested record is damaged: it is not returned, since a client would take it for true. */
export class RecordDamaged extends Error {
  override name = 'RecordDamaged';

  constructor(what: string) {
    super(
      `${what}. Stop the exchange and run "bourse verify": it says what is wrong with the history and what to do`,
    );
  }
}
