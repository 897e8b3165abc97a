/** The thread of `tree-thread.ts`. */
import { threadPort } from '../thread-port.ts';
import { ClaimTree } from './claim-tree.ts';
import type { TreeAnswer, TreeRequest } from './tree-thread.ts';

const port = threadPort();
const tree = new ClaimTree();

port.on('message', (request: TreeRequest) => {
  if (request.type === 'begin') tree.begin();
  else if (request.type === 'add') tree.add(request.rows);
  else if (request.type === 'publish') tree.publish();
  else {
    const { id } = request;
    const answering = request.type === 'build' ? tree.build(request.plan) : tree.proofOf(request.uid);
    // What fails here ends the thread, and whoever waits is told.
    void answering.then((answer) => port.postMessage({ id, answer } satisfies TreeAnswer));
  }
});
