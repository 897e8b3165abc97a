/** Explanations of a running exchange: takes questions as people write them, and asks the thread of the present branch. */
import { AdminError } from '../../admin/admin-error.ts';
import { findAccount } from '../../admin/lookup.ts';
import { parseOrderId } from '../../core/model/order-id.ts';
import type { Identity } from '../../identity/identity.ts';
import type { CommandJournal } from '../../journal/command-journal.ts';
import type { Sequencer } from '../../sequencer/sequencer.ts';
import { CannotExplain, ExplainThread } from './explain-thread.ts';
import type { Asker, Explanation, Question } from './explanation.ts';

/** The exchange that runs at the moment. */
export interface Explained {
  readonly sequencer: Sequencer;
  readonly identity: Identity;
  readonly journal: CommandJournal;
  /** The directory of the journal's files; undefined for a journal in memory. */
  readonly logDirectory: string | undefined;
}

/** A question as it is written; one of the first six, with what belongs to it. */
export interface Written {
  readonly orderId?: string;
  readonly clientOid?: string;
  readonly command?: string;
  readonly liquidation?: string;
  readonly fill?: string;
  readonly position?: string;
  readonly account?: string;
  readonly symbol?: string;
}

const KINDS = ['orderId', 'clientOid', 'command', 'liquidation', 'fill', 'position'] as const;
const WAYS =
  'orderId=ID, clientOid=ID&account=NAME, command=NUMBER, liquidation=ACCOUNT or ID, fill=ID, or position=ACCOUNT&symbol=SYMBOL';

export class Explain {
  readonly #current: () => Explained;
  #thread: { readonly of: CommandJournal; readonly thread: ExplainThread } | undefined;

  constructor(current: () => Explained) {
    this.#current = current;
  }

  async answer(written: Written, asker: Asker): Promise<Explanation | AdminError> {
    const question = this.#read(written);
    if (question instanceof AdminError) return question;
    const { sequencer } = this.#current();
    await sequencer.durable();
    try {
      const answer = await this.#threadOfNow().ask(question, asker);
      if (!('refused' in answer)) return answer;
      return new AdminError(answer.refused === 'gone' ? 'gone' : 'unknown_past', answer.message);
    } catch (error) {
      if (!(error instanceof CannotExplain)) throw error;
      return new AdminError('unavailable', error.message);
    }
  }

  async close(): Promise<void> {
    await this.#thread?.thread.close();
  }

  /** After a revert there is another journal, and its past is another one. */
  #threadOfNow(): ExplainThread {
    const { journal, logDirectory } = this.#current();
    if (this.#thread?.of === journal) return this.#thread.thread;
    void this.#thread?.thread.close();
    const thread = new ExplainThread(journal, logDirectory);
    this.#thread = { of: journal, thread };
    return thread;
  }

  #read(written: Written): Question | AdminError {
    const given = KINDS.filter((name) => written[name] !== undefined);
    const [kind] = given;
    if (kind === undefined) return wrong(`say what to explain: ${WAYS}`);
    if (given.length > 1) return wrong(`${given.join(' and ')}: ask about one at a time: ${WAYS}`);
    for (const [name, owner] of BELONGS)
      if (written[name] !== undefined && kind !== owner)
        return wrong(`${name} belongs to ${owner}, not to ${kind}`);
    return this.#questionOf(kind, written[kind]!, written);
  }

  #questionOf(
    kind: (typeof KINDS)[number],
    text: string,
    { account, symbol }: Written,
  ): Question | AdminError {
    switch (kind) {
      case 'command':
        if (!/^[1-9]\d{0,14}$/.test(text))
          return wrong(`command must be a sequence number above 0 of at most 15 digits, not ${text}`);
        return { kind, seq: Number(text) };
      case 'orderId':
      case 'fill': {
        const id = parseOrderId(text);
        if (id === undefined)
          return wrong(`${kind} must be an id of 19 digits that begins with 1, not ${text}`);
        return { kind: 'id', what: kind, id, text };
      }
      case 'clientOid': {
        if (account === undefined) return wrong('clientOid needs account: the name or uid of its owner');
        const uid = this.#uid(account);
        return uid instanceof AdminError ? uid : { kind, uid, clientOid: text };
      }
      case 'liquidation': {
        const id = parseOrderId(text);
        if (id !== undefined) return { kind: 'id', what: kind, id, text };
        const uid = this.#uid(text);
        return uid instanceof AdminError ? uid : { kind, uid };
      }
      case 'position': {
        if (symbol === undefined) return wrong('position needs symbol: the contract, such as BTCUSDT');
        const uid = this.#uid(text);
        return uid instanceof AdminError ? uid : { kind, uid, symbol };
      }
    }
  }

  #uid(text: string): number | AdminError {
    const { identity, sequencer } = this.#current();
    const account = findAccount(identity, sequencer.state, text);
    return account instanceof AdminError ? account : account.uid;
  }
}

const BELONGS = [
  ['account', 'clientOid'],
  ['symbol', 'position'],
] as const;

const wrong = (message: string): AdminError => new AdminError('invalid_request', message);
