/** The thread that explains: it has its own copy of the past, so that nothing it does holds up the exchange. */
import { workerData } from 'node:worker_threads';
import { NodeDisk } from '../../journal/node-disk.ts';
import { threadPort } from '../../thread-port.ts';
import { Explainer } from './explainer.ts';
import type { Answer, Asker, Question } from './explanation.ts';
import { DirectoryPast, FedPast, type Feed } from './past.ts';

const port = threadPort();

export interface ExplainWorkerData {
  /** The directory of the journal; undefined for an exchange in memory, whose records come with the questions. */
  readonly directory: string | undefined;
}

export interface Asked {
  readonly number: number;
  readonly question: Question;
  readonly lastSeq: number;
  readonly asker: Asker;
}

export type ToExplainer = Asked | { readonly feed: Feed };

export interface Answered {
  readonly number: number;
  readonly answer?: Answer;
  /** The replay failed. */
  readonly failure?: string;
}

const { directory } = workerData as ExplainWorkerData;
const fed = new FedPast();
const explainer = new Explainer(directory === undefined ? fed : new DirectoryPast(new NodeDisk(directory)));

port.on('message', (message: ToExplainer) => {
  if ('feed' in message) fed.feed(message.feed);
  else port.postMessage(answered(message));
});

/** The writer of a directory may remove old segments while they are read: then the next look finds what is left. */
function answered(
  { number, question, lastSeq, asker }: Asked,
  tries = directory === undefined ? 1 : 2,
): Answered {
  try {
    return { number, answer: explainer.answer(question, lastSeq, asker) };
  } catch (error) {
    if (tries > 1) return answered({ number, question, lastSeq, asker }, tries - 1);
    const { name, message } = error as Error;
    return { number, failure: `${name}: ${message}` };
  }
}
