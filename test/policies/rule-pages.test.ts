import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { contractProcedures } from '../../src/api/contracts.ts';
import { ruleDefinition } from '../../src/api/rules.ts';
import { parsePolicyFile } from '../../src/core/policy-file/parse-file.ts';
import { stateChangingMethods, whitelisted } from '../../src/core/contract-abi/methods.ts';
import { contracts } from '../../src/core/rules/contracts.ts';
import type { RuleKind } from '../../src/core/rules/rule.ts';
import { ruleTypes } from '../../src/core/decision/rule-words.ts';
import { parseExactJson } from '../../src/shared/schema/decimal.ts';
import { parse } from '../../src/shared/schema/parse.ts';
import { kindFile } from '../support/rule-tables.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const overview = readFileSync(join(DOCS, 'rules.md'), 'utf8');

/** What operators set up: the rules that they add, and contracts. */
const kinds: readonly RuleKind[] = [...ruleTypes, contracts];

/** A page is named as the file of its kind is. */
const pageName = (kind: RuleKind): string => `${kindFile(kind)}.md`;
const pageOf = (kind: RuleKind): string => readFileSync(join(DOCS, 'rules', pageName(kind)), 'utf8');

/** The examples of a page that are written in a language. */
const examples = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);

const NOTHING = { version: 1, contracts: [], rules: [], webhooks: [], allowedOrigins: [] };
/** A policy file that holds what an example shows, and nothing else. */
const fileWith = (example: string): string =>
  Object.entries(NOTHING)
    .filter(([part]) => !example.startsWith(`${part}:`))
    .map(([part, value]) => `${part}: ${JSON.stringify(value)}\n`)
    .join('') + example;

test('there is a page for each kind of rule that operators set up, and no other', () => {
  expect(readdirSync(join(DOCS, 'rules')).toSorted()).toEqual(kinds.map(pageName).toSorted());
});

describe.each(kinds.map((kind) => [kind.setup?.policyType ?? kind.type, kind] as const))(
  'the page of %s',
  (type, kind) => {
    const page = pageOf(kind);

    test('is in the overview', () => {
      expect(overview).toContain(`](rules/${pageName(kind)})`);
      if (kind.setup !== undefined) expect(overview).toContain(`\`${type}\``);
    });

    test('has its name, each code with which it denies, and no code of another kind', () => {
      expect(page).toContain(`\`${type}\``);
      const section = page.slice(page.indexOf('\n## Denials'));
      const told = [...section.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, code]) => code);
      expect(told).toEqual(Object.keys(kind.denials));
    });

    test('has examples over HTTP that are accepted', () => {
      const bodies = examples(page, 'json');
      expect(bodies).not.toEqual([]);
      for (const body of bodies) {
        if (kind.setup === undefined) {
          const { abi, ...contract } = parse(contractProcedures['contracts.create'].input, {
            paymasterId: 'dapp-1',
            ...(JSON.parse(body) as object),
          });
          expect(whitelisted(stateChangingMethods(abi), contract.whitelistedMethods ?? [])).not.toEqual([]);
        } else {
          expect(parse(ruleDefinition, parseExactJson(body))).toMatchObject({ policyType: type });
        }
      }
    });

    test('has examples of a policy file that are read', () => {
      const files = examples(page, 'yaml');
      expect(files).not.toEqual([]);
      for (const file of files) {
        const { rules, contracts: registered } = parsePolicyFile(fileWith(file));
        expect(kind.setup === undefined ? registered : rules.filter((one) => one.type === type)).not.toEqual([]);
      }
    });
  },
);

test.each(ruleTypes.map((kind) => [kind.setup.policyType, kind] as const))(
  'the page of %s has commands whose data is accepted',
  (type, kind) => {
    const added = examples(pageOf(kind), 'sh')
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.includes(' rule add '));
    expect(added).not.toEqual([]);
    for (const line of added) {
      expect(line).toContain(` --type ${type} `);
      const data = parseExactJson(/ --policy-data '(.+?)'/.exec(line)?.[1] ?? '') as object;
      // What `--senders` reads of a file stands in the data.
      const listed = line.includes(' --senders ') ? { addresses: [`0x${'a1'.repeat(20)}`] } : {};
      const rule = { name: 'Rule', policyType: type, policyData: { ...data, ...listed } };
      expect(() => parse(ruleDefinition, rule)).not.toThrow();
    }
  },
);
