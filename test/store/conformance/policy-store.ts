import { describe, expect, it } from 'vitest';
import type { DappPolicy, OperatorPolicy } from '../../../src/engine/store/policy-store.ts';
import type { Store } from '../../../src/engine/store/store.ts';
import type { EntryBody } from '../../../src/core/log/entry.ts';
import { LoggedPolicies } from '../../../src/core/log/policy-check.ts';
import { policyHash } from '../../../src/core/policy/policy.ts';
import { MAX_COUNTS } from '../../../src/core/policy/policy-bounds.ts';
import { policyWith } from '../../support/facts.ts';
import { decision, limitRule, paymaster, smartContract, webhook } from '../../support/store-records.ts';
import { wholePolicy } from '../../support/whole-policies.ts';
import { type OpenStore, useStore } from './open-store.ts';

/** What every {@link Store} does. */
export const describePolicyStore = (open: OpenStore): void => {
  let store: Store;
  const reopen = useStore(open, (opened) => {
    store = opened;
  });

  describe('registered contracts', () => {
    it('finds a contract whatever the letter case of its address', async () => {
      await store.createContract(smartContract());

      const lower = smartContract().address.toLowerCase() as `0x${string}`;
      expect(await store.findContract('dapp-1', lower)).toEqual(smartContract());
      expect(await store.findContract('dapp-2', lower)).toBeUndefined();
    });

    it('refuses the same address in other letters, and the same name', async () => {
      await store.createContract(smartContract());
      const upper = `0x${smartContract().address.slice(2).toUpperCase()}` as const;

      await expect(
        store.createContract(smartContract({ ruleId: 'r2', name: 'Other', address: upper })),
      ).rejects.toMatchObject({ code: 'CONTRACT_ADDRESS_EXISTS' });
      await expect(
        store.createContract(smartContract({ ruleId: 'r2', address: `0x${'22'.repeat(20)}` })),
      ).rejects.toMatchObject({ code: 'CONTRACT_NAME_EXISTS' });
      expect((await store.dappPolicy('dapp-1')).contracts).toEqual([smartContract()]);
    });

    it('lets two DApps register the same contract', async () => {
      await store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Second' }));
      await store.createContract(smartContract());
      const others = smartContract({ ruleId: 'r2', paymasterId: 'dapp-2' });
      await store.createContract(others);

      expect((await store.dappPolicy('dapp-2')).contracts).toEqual([others]);
    });

    it('changes the methods of the one contract that is named', async () => {
      const other = smartContract({ ruleId: 'r2', name: 'Other', address: `0x${'22'.repeat(20)}` });
      await store.createContract(smartContract());
      await store.createContract(other);

      const updated = { ...smartContract(), whitelistedMethods: ['mint', 'burn'] };
      expect(await store.updateContract('dapp-1', smartContract().address, ['mint', 'burn'])).toEqual(updated);
      expect((await store.dappPolicy('dapp-1')).contracts).toEqual([updated, other]);
      expect(await store.updateContract('dapp-2', smartContract().address, [])).toBeUndefined();
    });

    it('frees address and name when a contract is deleted', async () => {
      await store.createContract(smartContract());

      expect(await store.deleteContract('dapp-1', smartContract().address)).toBe(true);
      expect(await store.deleteContract('dapp-1', smartContract().address)).toBe(false);
      await store.createContract(smartContract({ ruleId: 'r2' }));
      expect((await store.dappPolicy('dapp-1')).contracts).toEqual([smartContract({ ruleId: 'r2' })]);
    });
  });

  describe('bounds of what a DApp may have', () => {
    const fill = async <Row>(count: number, create: (index: number) => Promise<Row>): Promise<void> => {
      for (let index = 0; index < count; index += 1) await create(index);
    };
    const refused = (bound: string) => ({ code: 'TOO_MANY', data: { bound, most: MAX_COUNTS[bound as 'rules'] } });

    it('refuses the webhook beyond, those of rules included, and keeps what there is', async () => {
      const asking = (index: number) => ({
        ...limitRule({ ruleId: `ask-${index}`, name: `Ask ${index}` }),
        policyType: 'WEBHOOK',
      });
      await fill(MAX_COUNTS.webhooks - 1, (index) => store.createWebhook(webhook({ webhookId: `w${index}` })));
      await store.createRule(asking(1));
      await expect(store.createRule(asking(2))).rejects.toMatchObject(refused('webhooks'));
      await expect(store.createWebhook(webhook({ webhookId: 'late' }))).rejects.toMatchObject(refused('webhooks'));
      const { webhooks, rules, revision } = await store.dappPolicy('dapp-1');
      expect([webhooks.length, rules.length]).toEqual([MAX_COUNTS.webhooks - 1, 1]);
      // Another bound does not keep a DApp from adding what it has room for.
      await store.createRule(limitRule());
      expect((await store.dappPolicy('dapp-1')).revision).toBe(revision + 1);
    });

    it('refuses the contract and the rule beyond, also of those that come at the same time', async () => {
      const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}` as const;
      const contract = (index: number) =>
        smartContract({ ruleId: `c${index}`, name: `Contract ${index}`, address: address(index) });
      await store.createContract({ ...contract(600), abi: ' '.repeat(MAX_COUNTS.abiCharacters) });
      await expect(store.createContract(contract(601))).rejects.toMatchObject(refused('abiCharacters'));
      await store.deleteContract('dapp-1', address(600));
      await fill(MAX_COUNTS.contracts - 1, (index) => store.createContract(contract(index)));
      const made = await Promise.allSettled([500, 501, 502].map((index) => store.createContract(contract(index))));
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const rule = (index: number) => limitRule({ ruleId: `r${index}`, name: `Rule ${index}` });
      await fill(MAX_COUNTS.rules, (index) => store.createRule(rule(index)));
      await expect(store.createRule(rule(MAX_COUNTS.rules))).rejects.toMatchObject(refused('rules'));
    });
  });

  describe('rules', () => {
    it('frees the name when a rule is deleted, and deletes nothing of another DApp', async () => {
      await store.createRule(limitRule());
      expect(await store.deleteRule('dapp-2', 'limit-1')).toBe(false);
      expect(await store.deleteRule('dapp-1', 'limit-1')).toBe(true);
      expect(await store.deleteRule('dapp-1', 'limit-1')).toBe(false);
      await store.createRule(limitRule());
      expect((await store.dappPolicy('dapp-1')).rules).toEqual([limitRule()]);
    });

    const url = { url: 'https://example.com' };
    const hook = { ruleId: 'hook-1', paymasterId: 'dapp-1', name: 'Ask', active: true, cycle: 0 } as const;

    it('keeps rules of every type as they are, thresholds to the last digit', async () => {
      const rules = [
        limitRule(),
        { ...hook, policyType: 'WEBHOOK' as const, policyData: url },
        {
          ...hook,
          ruleId: 'deploy-1',
          name: 'Deploy',
          policyType: 'WALLET_DEPLOYMENT' as const,
          policyData: { operator: 'walletDeployment' as const },
        },
      ];
      for (const rule of rules) await store.createRule(rule);
      expect((await store.dappPolicy('dapp-1')).rules).toEqual(rules);
    });

    it('refuses a second rule of the same name, on creation and on renaming', async () => {
      await store.createRule(limitRule());
      await expect(store.createRule(limitRule({ ruleId: 'limit-2' }))).rejects.toMatchObject({
        code: 'RULE_NAME_EXISTS',
      });
      const second = limitRule({ ruleId: 'limit-2', name: 'Other' });
      await store.createRule(second);
      const { policyData } = limitRule();
      await expect(
        store.updateRule('dapp-1', 'limit-2', { name: 'Five a day', policyData, restarts: true }),
      ).rejects.toMatchObject({ code: 'RULE_NAME_EXISTS' });
      expect((await store.dappPolicy('dapp-1')).rules).toEqual([limitRule(), second]);
    });

    it('updates one rule, and only of the DApp', async () => {
      await store.createRule(limitRule());
      await store.createRule({ ...hook, policyType: 'WEBHOOK', policyData: url });
      const { policyData } = limitRule();
      const limit = { ...policyData, threshold: '7', thresholdType: 'COUNT' as const };

      expect(await store.updateRule('dapp-1', 'limit-1', { name: 'Seven', policyData: limit, restarts: true })).toBe(
        true,
      );
      expect(await store.updateRule('dapp-2', 'limit-1', { name: 'Seven 3', policyData: limit, restarts: true })).toBe(
        false,
      );
      expect((await store.dappPolicy('dapp-1')).rules).toMatchObject([
        { name: 'Seven', policyData: limit, cycle: 1 },
        { name: 'Ask', policyData: url, cycle: 0 },
      ]);
    });

    it('keeps when a rule applies, through updates and reopening', async () => {
      const binding = { activeFrom: 1, activeUntil: 9, enforcement: 'shadow' } as const;
      await store.createRule({ ...limitRule(), ...binding });
      await store.createRule({ ...hook, policyType: 'WEBHOOK', policyData: url });
      await reopen();
      const rules = async () => (await store.dappPolicy('dapp-1')).rules;
      expect(await rules()).toEqual([
        { ...limitRule(), ...binding },
        expect.not.objectContaining({ enforcement: 'shadow' }),
      ]);
      const { name, policyData } = limitRule();
      await store.updateRule('dapp-1', 'limit-1', { name, policyData, activeUntil: 8, restarts: false });
      await reopen();
      expect((await rules())[0]).toEqual({ ...limitRule(), activeUntil: 8 });
    });

    it('restarts the windows of a limit with every update, and with nothing else', async () => {
      await store.createRule(limitRule());
      const { policyData } = limitRule();
      const cycle = async (): Promise<unknown> => (await store.dappPolicy('dapp-1')).rules[0]?.cycle;

      await store.setRuleActive('dapp-1', 'limit-1', false);
      await store.setRuleActive('dapp-1', 'limit-1', true);
      expect(await cycle()).toBe(0);
      await store.updateRule('dapp-1', 'limit-1', { name: 'Five a day', policyData, restarts: true });
      await store.updateRule('dapp-1', 'limit-1', { name: 'Five a day', policyData, restarts: true });
      expect(await cycle()).toBe(2);
      await reopen();
      expect(await cycle()).toBe(2);
    });

    it('pauses rules and registered contracts by their ids', async () => {
      await store.createRule(limitRule());
      await store.createContract(smartContract());

      expect(await store.setRuleActive('dapp-1', 'limit-1', false)).toBe(true);
      expect(await store.setRuleActive('dapp-1', 'contract-rule-1', false)).toBe(true);
      expect(await store.setRuleActive('dapp-1', 'unknown', false)).toBe(false);
      expect(await store.setRuleActive('dapp-2', 'limit-1', true)).toBe(false);
      const { rules, contracts } = await store.dappPolicy('dapp-1');
      expect([...rules, ...contracts].map(({ active }) => active)).toEqual([false, false]);
    });
  });

  describe('webhooks', () => {
    it('registers, switches, finds and deletes them', async () => {
      await store.createWebhook(webhook());
      await store.createWebhook(webhook({ webhookId: 'webhook-2', requestType: 'GET' }));

      expect(await store.setWebhookActive('dapp-1', 'webhook-1', false)).toBe(true);
      expect((await store.dappPolicy('dapp-1')).webhooks[0]).toEqual(webhook({ active: false }));
      expect(await store.isWebhook('webhook-1')).toBe(true);
      expect(await store.setWebhookActive('dapp-2', 'webhook-1', true)).toBe(false);
      const webhookUrl = 'https://new.example/';
      expect(await store.setWebhookUrl('dapp-2', 'webhook-1', webhookUrl)).toBe(false);
      expect(await store.setWebhookUrl('dapp-1', 'webhook-1', webhookUrl)).toBe(true);
      expect((await store.dappPolicy('dapp-1')).webhooks[0]).toEqual(webhook({ active: false, webhookUrl }));
      expect(await store.deleteWebhook('dapp-2', 'webhook-1')).toBe(false);
      expect(await store.deleteWebhook('dapp-1', 'webhook-1')).toBe(true);
      expect(await store.isWebhook('webhook-1')).toBe(false);
      expect((await store.dappPolicy('dapp-1')).webhooks).toEqual([
        webhook({ webhookId: 'webhook-2', requestType: 'GET' }),
      ]);
    });
  });

  describe('the policy of a DApp', () => {
    it('is the same object as long as nothing changes', async () => {
      await store.createRule(limitRule());
      const policy = await store.dappPolicy('dapp-1');
      expect(await store.dappPolicy('dapp-1')).toBe(policy);
    });

    it('moves its revision with every kind of change, and never for another DApp', async () => {
      await store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Second' }));
      const other = await store.dappPolicy('dapp-2');
      const { policyData } = limitRule();
      const changes: (() => Promise<unknown>)[] = [
        () => store.createContract(smartContract()),
        () => store.updateContract('dapp-1', smartContract().address, []),
        () => store.createRule(limitRule()),
        () => store.updateRule('dapp-1', 'limit-1', { name: 'Renamed', policyData, restarts: true }),
        () => store.setRuleActive('dapp-1', 'limit-1', false),
        () => store.setRuleActive('dapp-1', 'contract-rule-1', false),
        () => store.deleteContract('dapp-1', smartContract().address),
        () => store.createWebhook(webhook()),
        () => store.setWebhookActive('dapp-1', 'webhook-1', false),
        () => store.setWebhookUrl('dapp-1', 'webhook-1', 'https://new.example/'),
        () => store.deleteWebhook('dapp-1', 'webhook-1'),
        () => store.deleteRule('dapp-1', 'limit-1'),
      ];
      let before: DappPolicy = await store.dappPolicy('dapp-1');
      for (const change of changes) {
        await change();
        const after = await store.dappPolicy('dapp-1');
        expect(after.revision, String(change)).toBeGreaterThan(before.revision);
        expect(after).not.toBe(before);
        before = after;
      }
      expect(await store.dappPolicy('dapp-2')).toBe(other);
    });

    it('stays where it is when a change finds nothing to change or is refused', async () => {
      await store.createRule(limitRule());
      const before = await store.dappPolicy('dapp-1');
      await store.setRuleActive('dapp-1', 'unknown', false);
      await store.deleteWebhook('dapp-1', 'unknown');
      await store.createRule(limitRule({ ruleId: 'limit-2' })).catch(() => undefined);
      expect(await store.dappPolicy('dapp-1')).toBe(before);
    });

    it('does not go back when the store is opened again', async () => {
      await store.createRule(limitRule());
      const { revision } = await store.dappPolicy('dapp-1');
      await reopen();
      expect((await store.dappPolicy('dapp-1')).revision).toBe(revision);
    });
  });

  describe('a policy that is replaced as a whole', () => {
    const scope = { paymasterId: 'dapp-1', chainId: 31_337 };
    const replace = async (policy: OperatorPolicy) =>
      store.replaceDappPolicy(scope, await store.settingsVersion(scope), policy);

    it('is in the place of all that there was, in its order, and of nothing of another DApp', async () => {
      await store.createDapp(paymaster({ paymasterId: 'dapp-2', name: 'Second' }));
      await store.createRule(limitRule({ ruleId: 'other', paymasterId: 'dapp-2' }));
      await store.createRule(limitRule());
      const { revision } = await store.dappPolicy('dapp-1');
      const policy = wholePolicy('odd');
      expect(await replace(policy)).toBe(true);

      for (const _ of ['at once', 'opened again']) {
        const { contracts, rules, webhooks, ...rest } = await store.dappPolicy('dapp-1');
        const owned = <Row>(row: Row) => ({ ...row, paymasterId: 'dapp-1' });
        expect([contracts, rules, webhooks]).toEqual(
          [policy.contracts, policy.rules, policy.webhooks].map((rows) => rows.map(owned)),
        );
        expect(rest.revision).toBeGreaterThan(revision);
        expect(rest.lowBalanceThresholdWei).toBe(1n);
        const dapp = { allowedOrigins: ['https://odd.example'], maxExpirySeconds: 300, tokenMode: false };
        expect(await store.findDappByApiKey(paymaster().apiKey)).toMatchObject(dapp);
        expect((await store.dappPolicy('dapp-2')).rules).toHaveLength(1);
        await reopen();
      }
    });

    it('is refused where the settings are no longer those that it was made from', async () => {
      const version = await store.settingsVersion(scope);
      await store.createRule(limitRule());
      const before = await store.dappPolicy('dapp-1');
      expect(await store.replaceDappPolicy(scope, version, wholePolicy('odd'))).toBe(false);
      expect(await store.dappPolicy('dapp-1')).toBe(before);
    });

    it('changes nothing where a part of it is refused', async () => {
      await store.findDappByApiKey(paymaster().apiKey);
      await replace(wholePolicy('even'));
      const before = await store.dappPolicy('dapp-1');
      const odd = wholePolicy('odd');
      const twice = { ...odd, rules: [...odd.rules, { ...odd.rules[0]!, ruleId: 'again' }] };
      await expect(replace(twice)).rejects.toMatchObject({ code: 'RULE_NAME_EXISTS' });
      await reopen();
      expect(await store.dappPolicy('dapp-1')).toEqual(before);
      expect(await store.findDappByApiKey(paymaster().apiKey)).toMatchObject({ maxExpirySeconds: 600 });
    });
  });

  describe('which policy was in force when', () => {
    const revision = (name: string) => {
      const policy = policyWith({ dapp: { ...policyWith().dapp, name } });
      return { hash: policyHash(policy), policy };
    };
    const [one, two, three] = [revision('One'), revision('Two'), revision('Three')];

    it('is listed newest first, a policy that came back once more, and none that continued', async () => {
      const times = [
        [one, 1, true],
        [two, 2, true],
        [two, 3, false],
        [one, 4, true],
      ] as const;
      for (const [each, at, isNew] of times) expect(await store.recordPolicy('dapp-1', each, at)).toBe(isNew);
      await reopen();
      expect(await store.policyHistory('dapp-1', 2)).toEqual([
        { hash: one.hash, at: 4 },
        { hash: two.hash, at: 2 },
      ]);
      expect(await store.policyHistory('dapp-1', 9)).toHaveLength(3);
      expect(await store.policyHistory('dapp-2', 9)).toEqual([]);
      expect(await store.findPolicy(two.hash)).toEqual(two.policy);
    });

    it('is an entry of the log each time, its text once', async () => {
      for (const each of [one, two, two, one]) await store.recordPolicy('dapp-1', each, 1);
      await store.appendDecision(decision({ id: 'first' }), one);
      await store.appendDecision(decision({ id: 'second' }), two);
      const lines = await store.logLines({ from: 0, limit: 100 });
      const bodies = lines
        .filter(({ kind }) => kind === 'policy')
        .map(({ text }) => (JSON.parse(text) as { body: { hash: string; policy?: unknown } }).body);
      expect(bodies).toEqual([
        { paymasterId: 'dapp-1', hash: one.hash, policy: one.policy },
        { paymasterId: 'dapp-1', hash: two.hash, policy: two.policy },
        { paymasterId: 'dapp-1', hash: one.hash },
        { paymasterId: 'dapp-1', hash: two.hash },
      ]);
      expect(lines.map(({ kind }) => kind).slice(-3)).toEqual(['decision', 'policy', 'decision']);
    });

    it('is in the log whole once, then as what changed, and whole again after 64 changes', async () => {
      const rules = Array.from({ length: 140 }, (_, index) => {
        const { paymasterId: _dapp, ...rule } = limitRule({ ruleId: `rule-${index}`, name: `Limit ${index}` });
        return rule;
      });
      const revisions = Array.from({ length: 70 }, (_, index) => {
        const policy = policyWith({ rules: rules.slice(0, 70 + index) });
        return { hash: policyHash(policy), policy };
      });
      for (const [at, each] of revisions.entries()) {
        if (at === 30) await reopen();
        expect(await store.recordPolicy('dapp-1', each, at)).toBe(true);
      }
      await reopen();
      for (const { hash, policy } of revisions) expect(await store.findPolicy(hash)).toEqual(policy);
      const revisionsFound = await store.checkedRevisions({ after: '', limit: 100 });
      expect(revisionsFound.filter(({ isSound }) => isSound)).toHaveLength(70);

      const logged = new LoggedPolicies();
      const wholeOnes: number[] = [];
      const entries = (await store.logLines({ from: 0, limit: 100 })).filter(({ kind }) => kind === 'policy');
      for (const [index, { text }] of entries.entries()) {
        const { body } = JSON.parse(text) as { body: EntryBody<'policy'> };
        expect(logged.add(body)).toEqual(revisions[index]?.policy);
        if (body.policy === undefined) expect(text.length).toBeLessThan(1_000);
        else wholeOnes.push(index);
      }
      expect(wholeOnes).toEqual([0, 65]);
    });

    it('is not shown under its name where its text has another hash', async () => {
      await store.recordPolicy('dapp-1', { hash: one.hash, policy: two.policy }, 1);
      await expect(store.findPolicy(one.hash)).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    });

    it('is found by the beginning of its name, among those of the DApp', async () => {
      for (const [index, each] of [one, two].entries()) await store.recordPolicy('dapp-1', each, index);
      await store.recordPolicy('dapp-2', three, 3);
      const start = (hash: string) => hash.slice(0, 20);
      expect(await store.findRevisions('dapp-1', start(one.hash))).toEqual([one.hash]);
      expect((await store.findRevisions('dapp-1', 'sha256:')).sort()).toEqual([one.hash, two.hash].sort());
      expect(await store.findRevisions('dapp-1', start(three.hash))).toEqual([]);
    });
  });
};
