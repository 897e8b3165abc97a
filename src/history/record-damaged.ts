/** A record that was asked for is not as it was written: it is not answered, since it would be taken for true. */
export class RecordDamaged extends Error {
  override name = 'RecordDamaged';

  constructor(what: string) {
    super(
      `${what}. Stop the exchange and run "bourse verify": it says what is wrong with the history and what to do`,
    );
  }
}
