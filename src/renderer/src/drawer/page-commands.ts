import type { DappTab } from '../desk/dapp-place.ts';
import { commandSummaries } from './command-summaries.ts';

type CommandName = keyof typeof commandSummaries;

/** What the open page shows. */
export interface PagePlace {
  /** The name of the page, as in `pages.ts`. */
  readonly page: string;
  /** The DApp whose page is open, and the part of it. */
  readonly dapp?: { readonly name: string; readonly tab: DappTab } | undefined;
  /** The chains that have a node. */
  readonly chains: readonly { readonly chainId: number }[];
  /** The decision that is open. */
  readonly decisionId?: string | undefined;
  /** The rule that is open, by its name. */
  readonly rule?: string | undefined;
  /** The filter of a list of decisions. */
  readonly filter?: { readonly outcome?: string | undefined; readonly sender?: string | undefined } | undefined;
  /** The value that is inspected. */
  readonly inspected?: string | undefined;
}

export interface PageCommand {
  readonly does: string;
  /** The command as it is typed. */
  readonly line: string;
}

/** A word of a command line as a shell reads it. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/**
 * A command of the command line.
 *
 * @param words its options and arguments
 * @param file the file to which the shell writes the output
 */
const command = (name: CommandName, words: readonly string[] = [], file?: string): PageCommand => ({
  does: commandSummaries[name],
  line: [`gasdesk ${name}`, ...words.map(quoted), ...(file === undefined ? [] : [`> ${file}`])].join(' '),
});

const decisionCommands = (decisionId: string): PageCommand[] => [
  command('decisions show', [decisionId]),
  command('decisions receipt', [decisionId], 'receipt.txt'),
  command('decisions proof', [decisionId, '--out', 'proof.html']),
];

const listCommands = (of: readonly string[], { filter = {}, decisionId }: PagePlace): PageCommand[] => {
  const { outcome, sender } = filter;
  const narrowed = [
    ...of,
    ...(outcome === undefined ? [] : ['--outcome', outcome]),
    ...(sender === undefined ? [] : ['--sender', sender]),
  ];
  return [
    ...(decisionId === undefined ? [] : decisionCommands(decisionId)),
    command('decisions list', narrowed),
    command('decisions export', narrowed, 'decisions.jsonl'),
    command('decisions report', [...narrowed, '--out', 'report.html']),
    command('decisions tail', of),
  ];
};

/** The commands of each part of a DApp. `of` names the DApp. */
const dappCommands: Readonly<Record<DappTab, (of: readonly string[], place: PagePlace) => PageCommand[]>> = {
  policy: (of, { rule }) => [
    ...(rule === undefined ? [] : [command('rule pause', [rule, ...of]), command('rule unpause', [rule, ...of])]),
    command('rule list', of),
    command('policy export', of, 'policy.yaml'),
    command('policy try', ['policy.yaml', ...of, '--last', '1000']),
    command('policy apply', ['policy.yaml', ...of]),
    command('policy worst-case', of),
    command('policy history', of),
    command('policy narrow', [...of, '--out', 'narrow.yaml']),
    command('pause', of),
    command('resume', of),
  ],
  tank: (of) => [
    command('tank show', of),
    command('tank deposit', [...of, '--amount', '0.1', '--from-key-file', 'wallet.key']),
    command('tank threshold', [...of, '--amount', '0.1']),
    command('tank transactions', of),
    command('funding-wallet message', of),
    command('funding-wallet history', of),
  ],
  connect: (of) => [
    command('api-key list', of),
    command('api-key create', [...of, '--label', 'web app']),
    command('dapp origins', [of[1] ?? '', '--allow', 'https://game.example']),
    command('dapp expiry', [of[1] ?? '', '--most', '3600']),
    command('requests list', of),
    command('requests errors', of),
  ],
  decisions: listCommands,
  webhooks: (of) => [command('webhook list'), command('event-webhook list', of), command('requests errors', of)],
};

/** Before a chain has a node, commands show one of those that can have one. */
const orExample = (chains: PagePlace['chains']): PagePlace['chains'] =>
  chains.length === 0 ? [{ chainId: 31337 }] : chains;

const chainCommands = ({ chains }: PagePlace): PageCommand[] =>
  orExample(chains).map(({ chainId }) => command('chain set', [String(chainId), '--rpc', 'https://node.example']));

/** The commands of each page that is not about one DApp. */
const pageCommandsByName: Readonly<Record<string, (place: PagePlace) => PageCommand[]>> = {
  overview: () => [
    command('dapp list'),
    command('decisions tail'),
    command('requests errors'),
    command('notifications list'),
    command('doctor'),
    command('pause', ['--reason', 'A key has leaked']),
    command('resume'),
  ],
  decisions: (place) => listCommands([], place),
  inspect: ({ inspected }) => [command('inspect', [inspected ?? '0x'])],
  dapps: ({ chains }) => [
    command('dapp list'),
    command('dapp create', ['--name', 'Game', '--chain', String(orExample(chains)[0]?.chainId)]),
  ],
  costs: () => [command('costs show', ['--by', 'method']), command('costs show', ['--csv'], 'costs.csv')],
  tokens: ({ chains }) => [
    command('fee-token list'),
    ...chains.map(({ chainId }) => command('fee-token list', ['--chain', String(chainId)])),
  ],
  events: () => [
    command('event-webhook list'),
    command('event-webhook add', [
      '--url',
      'https://game.example/events',
      '--events',
      'operation.settled,limit.reached',
    ]),
  ],
  activity: () => [
    command('log list'),
    command('log verify'),
    command('log export', [], 'log.jsonl'),
    command('log key'),
  ],
  settings: (place) => [
    command('config print'),
    ...chainCommands(place),
    command('signer list'),
    command('keystore list'),
    command('token list'),
    command('alert list'),
    command('vault status'),
    command('backup', ['desk.gasdesk-backup']),
    command('doctor'),
  ],
  setup: (place) => [
    command('vault status'),
    ...chainCommands(place),
    ...orExample(place.chains).map(({ chainId }) => command('signer create', ['--chain', String(chainId)])),
    command('dapp list'),
    command('doctor'),
  ],
};

/** The commands that show and do what the open page shows and does, with the page's own names and ids. */
export const pageCommands = (place: PagePlace): PageCommand[] => {
  const { dapp, page } = place;
  if (dapp !== undefined) return dappCommands[dapp.tab](['--dapp', dapp.name], place);
  return pageCommandsByName[page]?.(place) ?? [];
};
