/** The page: bar, contents, and what the address names. */
import { AccountDialog } from '../parts/account-dialog.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Notices } from '../parts/notice-list.tsx';
import { QuestionDialog } from '../parts/question-dialog.tsx';
import { Bar } from './bar.tsx';
import { Contents } from './contents.tsx';
import { ErrorsPage } from './errors-page.tsx';
import { Markdown } from './markdown.tsx';
import { OperationPage } from './operation-page.tsx';
import { SearchDialog } from './search-dialog.tsx';
import {
  account,
  calls,
  chooseAccount,
  close,
  errorCode,
  hrefOf,
  message,
  opened,
  operation,
  place,
  streams,
  unreachable,
} from './state.ts';
import { MessagePage, StreamsPage } from './streams-page.tsx';

export function Page() {
  return (
    <div class="reference">
      <Bar />
      <div class="side">
        <Contents />
      </div>
      <main>{calls.value === undefined || streams.value === undefined ? <Loading /> : <Shown />}</main>
      {opened.value === 'search' && <SearchDialog />}
      {opened.value === 'account' && (
        <AccountDialog chosen={account.value} onChoose={chooseAccount} onClose={close} />
      )}
      {opened.value === 'contents' && (
        <Dialog title="Contents" kind="drawer" onClose={close}>
          <Contents onFollow={close} />
        </Dialog>
      )}
      <QuestionDialog />
      <Notices />
    </div>
  );
}

function Loading() {
  return (
    <p class="empty" role="status">
      {unreachable.value ? 'The exchange does not answer; the page asks again.' : 'Loading'}
    </p>
  );
}

function Shown() {
  if (operation.value !== undefined)
    return <OperationPage key={operation.value.slug} operation={operation.value} />;
  if (message.value !== undefined) return <MessagePage key={message.value.name} message={message.value} />;
  if (errorCode.value !== undefined)
    return (
      <article>
        <ErrorsPage />
      </article>
    );
  if (place.value === 'streams') return <StreamsPage />;
  return <Introduction known={place.value === ''} />;
}

const SHORTCUTS: readonly (readonly [string, string])[] = [
  ['/', 'search for calls, fields, topics and codes'],
  ['t', 'go to the form that sends the call'],
  ['a', 'choose the account that signs'],
];

function Introduction({ known }: { readonly known: boolean }) {
  const { introduction, version, groups, operations } = calls.value!;
  return (
    <article>
      {!known && <p class="refusal">Nothing has this address: {place.value}</p>}
      <h1 tabIndex={-1}>
        The interface <small>{version}</small>
      </h1>
      <Markdown text={introduction} />
      <h2>Calls</h2>
      <dl class="facts column groups">
        {groups.map((group) => (
          <div key={group}>
            <dt>{group}</dt>
            <dd class="links">
              {operations
                .filter((each) => each.group === group)
                .map(({ slug }) => (
                  <a key={slug} href={hrefOf(slug)}>
                    {slug}
                  </a>
                ))}
            </dd>
          </div>
        ))}
      </dl>
      <h2>More</h2>
      <ul class="points">
        <li>
          <a href="#/streams">Streams</a> over WebSocket, and <a href="#/errors">all error codes</a>
        </li>
        <li>
          The documents for programs: <a href="/openapi.json">/openapi.json</a> and{' '}
          <a href="/asyncapi.json">/asyncapi.json</a>
        </li>
        <li>
          <a href="/">Trading terminal</a> · <a href="/about">About this exchange</a> ·{' '}
          <a href="/licences">Licences</a>
        </li>
      </ul>
      <h2>Keys</h2>
      <dl class="facts">
        {SHORTCUTS.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </article>
  );
}
