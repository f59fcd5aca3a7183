/**
 * Writes the reference pages of `docs/reference` from the code: commands, settings, HTTP, JSON-RPC and errors, and the
 * summaries of commands for the console. With
 * `--check` it writes nothing. It fails if a page is out of date, a link in a document is dead, or a comment cites a
 * number that docs/behaviour.md does not have.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Command } from 'commander';
import { format, resolveConfig } from 'prettier';
import { examples } from '../src/cli/examples.ts';
import { createProgram } from '../src/cli/program.ts';
import { ruleKinds } from '../src/core/rules/registry.ts';
import { acceptedBySetting, describeConfig } from '../src/engine/config/config.ts';
import { openApiDocument } from '../src/engine/description/openapi.ts';
import { openRpcDocument } from '../src/engine/description/openrpc.ts';
import { errorTable } from '../src/shared/errors.ts';
import { wrongCitations } from './citations.ts';
import { COMMAND_SUMMARIES, commandSummaries, fullName, leaves } from './command-summaries.ts';
import { oddWords } from './plain-words.ts';
import { retiredPhrases } from './retired-phrases.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGES = join(ROOT, 'docs/reference');

const code = (text: unknown): string => `\`${String(text)}\``;
const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ');
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

type Fields = Readonly<Record<string, unknown>>;

/** Options of every command, documented once. */
const COMMON = new Set(['--data <dir>', '--database <url>', '--json', '--passphrase-file <file>']);

const commandText = (command: Command): string => {
  const help = command.createHelp();
  const name = fullName(command).replace('gasdesk ', '');
  const usage = [
    fullName(command),
    ...command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`)),
  ];
  const rows = [
    ...help.visibleArguments(command).map((one) => [code(help.argumentTerm(one)), help.argumentDescription(one)]),
    ...help
      .visibleOptions(command)
      .filter(({ long, flags }) => long !== '--help' && !COMMON.has(flags))
      .map((one) => [code(help.optionTerm(one)), help.optionDescription(one)]),
  ];
  return [
    `## ${name}`,
    command.description(),
    code(usage.join(' ')),
    ...(rows.length > 0 ? [table(['argument or option', 'meaning'], rows)] : []),
    ['```sh', ...(examples[name] ?? []).map((line) => `gasdesk ${line}`), '```'].join('\n'),
  ].join('\n\n');
};

const commandsPage = async (): Promise<string> =>
  [
    '# Commands',
    'Every command that works on stored data takes `--data <dir>` (the data folder), `--database <url>` (a PostgreSQL database; by default, SQLite in the data folder), `--json` (print one JSON document on stdout) and `--passphrase-file <file>` (a file with the passphrase of the vault; by default, the passphrase is `GASDESK_PASSPHRASE`). These options may also be given before the command. The commands work whether or not `serve` is running on that folder. Exit codes: 0 done, 1 failed, 2 wrong usage.',
    'In place of an id, every command takes the beginning of the id, of at least three characters, or a name: that of a DApp, an account, a chain or a rule, the label of a token or an API key, the URL of a webhook, the userOpHash of a decision. If a name fits several, the command lists them. In a window, results have colours unless `NO_COLOR` is set, and tables fit the width: in a narrow one, each row is a record of the fields that have a value.',
    ...leaves(await createProgram()).map(commandText),
  ].join('\n\n');

const settingsPage = (): string =>
  [
    '# Settings',
    'Gasdesk takes a setting from its environment variable, or else from `gasdesk.json` in the data folder, or else uses the default. The options `--database` (of every command), `--host` and `--port` (of `gasdesk serve`) override both. `gasdesk config print` shows each value and where it comes from.',
    table(
      ['setting', 'variable', 'accepts', 'default'],
      describeConfig({}).map(({ key, value }) => [
        code(key),
        code(`GASDESK_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`),
        acceptedBySetting.get(key) ?? '',
        code(JSON.stringify(value)),
      ]),
    ),
  ].join('\n\n');

const errorsPage = (): string =>
  [
    '# Errors',
    'The errors of a request, other than denials. The management interface answers with the HTTP status, and JSON-RPC answers with the error code.',
    table(
      ['name', 'HTTP', 'JSON-RPC', 'message, unless a more specific one is known'],
      Object.entries(errorTable).map(([name, { status, rpc, title }]) => [
        code(name),
        String(status),
        String(rpc),
        title,
      ]),
    ),
  ].join('\n\n');

const denialsPage = (): string =>
  [
    '# Denials',
    'This table lists the rules in the order of evaluation. If several rules deny an operation, the first of them determines the answer: a `code`, and a message and a hint with the values of the operation.',
    table(
      ['rule', 'title', 'codes'],
      ruleKinds.map(({ type, title, denials }) => [
        code(type),
        title,
        Object.keys(denials).map(code).join(', ') || 'none (it only informs)',
      ]),
    ),
  ].join('\n\n');

interface Schema extends Fields {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

const typeText = (schema: Schema): string => {
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.const !== undefined) return code(JSON.stringify(schema.const));
  if (schema.enum !== undefined) return schema.enum.map((value) => code(JSON.stringify(value))).join(', ');
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeText))].join(' or ');
  if (schema.type === 'array') return `array of ${typeText(schema.items ?? {})}`;
  return [schema.type ?? 'any'].flat().join(' or ');
};

/** The fields of a body. Nested fields are listed by their path. */
const fieldRows = (schema: Schema, path = ''): string[][] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const needed = schema.required?.includes(name) === true ? 'required' : 'optional';
    const row = [code(`${path}${name}`), typeText(field), needed, field.description ?? ''];
    return field.properties === undefined ? [row] : fieldRows(field, `${path}${name}.`);
  });

const bodyText = (schema: Schema | undefined): string[] => {
  if (schema === undefined) return [];
  const kinds = schema.oneOf ?? schema.anyOf ?? [schema];
  return kinds
    .map((kind) => table(['field', 'type', '', 'meaning'], fieldRows(kind)))
    .filter((text) => text.includes('`'));
};

interface Operation {
  readonly summary: string;
  readonly security: readonly Fields[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
  readonly responses: Fields;
}

const httpPage = (): string => {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const managed = operations.filter(({ path }) => path.startsWith('/api/v2/public/'));
  const text = managed.flatMap(({ path, method, operation: { summary, security, requestBody } }) => [
    `## ${method.toUpperCase()} ${path.replace('/api/v2/public/sdk', '')}`,
    `${summary}. Headers: ${Object.keys(security[0] ?? {})
      .map(code)
      .join(', ')}.`,
    ...bodyText(requestBody?.content['application/json'].schema),
  ]);
  return [
    '# HTTP management interface',
    'All paths start with `/api/v2/public/sdk`. Request bodies are JSON; a request with an unknown field is rejected, and the error names the field. Responses have the form `{statusCode, message, data}`. Gasdesk serves the complete OpenAPI description, including the responses, at `/openapi.json`.',
    ...text,
  ].join('\n\n');
};

interface RpcDescription {
  readonly name: string;
  readonly summary: string;
  readonly params: readonly { readonly name: string; readonly summary: string; readonly required: boolean }[];
  readonly errors: readonly { readonly code: number }[];
  readonly examples: readonly [{ readonly params: readonly { readonly value: unknown }[]; readonly result: Fields }];
}

const methodText = ({ name, summary, params, errors, examples: [example] }: RpcDescription): string =>
  [
    `## ${name}`,
    `${summary}.`,
    ...(params.length > 0
      ? [
          table(
            ['parameter', '', 'meaning'],
            params.map((one) => [code(one.name), one.required ? 'required' : 'optional', one.summary]),
          ),
        ]
      : []),
    `Errors: ${errors.map((error) => code(error.code)).join(', ')}.`,
    [
      '```json',
      JSON.stringify({ params: example.params.map(({ value }) => value), result: example.result['value'] }, null, 2),
      '```',
    ].join('\n'),
  ].join('\n\n');

const jsonRpcPage = (): string => {
  const { methods } = openRpcDocument() as unknown as { methods: readonly RpcDescription[] };
  return [
    '# JSON-RPC methods',
    'Clients send POST requests to `/api/v1/{chainId}/{apiKey}` or `/api/v2/{chainId}/{apiKey}`, or to `/rpc/{chainId}` with the API key in an `apiKey` header. A batch may have at most 20 requests. Gasdesk serves the schemas at `/openrpc.json`. [Errors](errors.md) explains the error codes; [Denials](denials.md) lists the reasons for denials.',
    ...methods.map(methodText),
  ].join('\n\n');
};

const PAGE_TEXTS: Readonly<Record<string, () => string | Promise<string>>> = {
  'commands.md': commandsPage,
  'settings.md': settingsPage,
  'http.md': httpPage,
  'json-rpc.md': jsonRpcPage,
  'errors.md': errorsPage,
  'denials.md': denialsPage,
};

const NOTE = '<!-- Made from the code by `npm run docs`; changes by hand are lost. -->';

const formatted = async (file: string, text: string): Promise<string> =>
  format(text, { ...(await resolveConfig(file)), filepath: file });

const pageOf = (name: string, text: string): Promise<string> => formatted(join(PAGES, name), `${NOTE}\n\n${text}\n`);

const filesOf = (folder: string, endings: readonly string[]): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => endings.some((ending) => name.endsWith(ending)))
    .map((name) => join(folder, name));

/** The anchor that GitHub creates for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Links in a document to a missing file or heading. */
const deadLinks = (file: string): string[] => {
  const text = readFileSync(file, 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  const links = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    if (!existsSync(target)) return true;
    if (anchor === undefined) return false;
    const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
    return !headings.map(anchorOf).includes(anchor);
  });
};

const isCheck = process.argv.includes('--check');
mkdirSync(PAGES, { recursive: true });
const errors: string[] = [];
const generated = [[COMMAND_SUMMARIES, await formatted(COMMAND_SUMMARIES, await commandSummaries())]];
for (const [name, text] of Object.entries(PAGE_TEXTS))
  generated.push([join(PAGES, name), await pageOf(name, await text())]);
for (const [file = '', page = ''] of generated) {
  if (!isCheck) writeFileSync(file, page);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== page)
    errors.push(`${relative(ROOT, file)} is not current: run npm run docs`);
}
for (const file of [join(ROOT, 'README.md'), ...filesOf(join(ROOT, 'docs'), ['.md'])]) {
  for (const link of deadLinks(file)) errors.push(`${relative(ROOT, file)} links to ${link}, which is not there`);
  // Generated pages are not checked: they contain the product's own texts.
  if (file.startsWith(PAGES)) continue;
  const prose = readFileSync(file, 'utf8').replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '');
  for (const word of oddWords(prose)) errors.push(`${relative(ROOT, file)}: ${word}`);
}
const behaviour = readFileSync(join(ROOT, 'docs/behaviour.md'), 'utf8');
for (const folder of ['src', 'test', 'scripts', 'docs']) {
  for (const file of filesOf(join(ROOT, folder), ['.ts', '.vue', '.md'])) {
    if (file === join(ROOT, 'scripts/citations.test.ts')) continue;
    const text = readFileSync(file, 'utf8');
    const name = relative(ROOT, file);
    if (folder === 'src' || folder === 'docs') errors.push(...retiredPhrases(text).map((found) => `${name}: ${found}`));
    for (const number of wrongCitations(text, behaviour))
      errors.push(`${name} cites behaviour ${number}, which docs/behaviour.md does not have`);
  }
}
for (const error of errors) console.error(error);
if (errors.length > 0) process.exitCode = 1;
