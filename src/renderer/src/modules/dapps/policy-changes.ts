import type { Transport } from '../../transport/transport.ts';
import type { PolicyEntry } from './policy-steps.ts';

/** Something that is done to an entry of a policy. */
interface PolicyChange {
  readonly act: () => Promise<unknown>;
  /** What is said once it is done. */
  readonly done: string;
}

/** What is asked before an entry is paused or deleted. */
interface Asked extends PolicyChange {
  readonly title: string;
  readonly consequence: string;
  readonly verb: string;
}

/** Without these, operations are denied that were sponsored before; without any other, denied ones are sponsored. */
const ALLOWING: Readonly<Record<string, string>> = {
  contracts: 'operations that call it are denied',
  walletDeployment: 'operations that deploy their account are denied where contracts are registered',
};

/** Switches an entry on or off. */
export const switching = (
  transport: Transport,
  paymasterId: string,
  { rule, webhook, name, active }: PolicyEntry,
): PolicyChange => ({
  done: active ? `${name} is paused` : `${name} is active`,
  act: () => {
    if (webhook !== undefined) {
      const { webhookId } = webhook;
      return transport.call('webhooks.update', { paymasterId, webhookId, active: !active });
    }
    const target = { paymasterId, ruleId: rule?._id ?? '' };
    return transport.call(active ? 'rules.deactivate' : 'rules.activate', target);
  },
});

/** What is asked before an entry of that kind is paused. */
export const pausing = (transport: Transport, paymasterId: string, type: string, entry: PolicyEntry): Asked => ({
  ...switching(transport, paymasterId, entry),
  title: `Pause ${entry.name}?`,
  consequence: `Until you resume it, ${ALLOWING[type] ?? 'it denies nothing: operations that it would have denied can be sponsored'}.`,
  verb: 'Pause',
});

/** What is asked before a rule in shadow binds. */
export const enforcing = (transport: Transport, paymasterId: string, { rule, name }: PolicyEntry): Asked => ({
  title: `Let ${name} bind?`,
  consequence: 'From then on, it denies what it would have denied in shadow. It goes on with what it has counted.',
  verb: 'Bind',
  done: `${name} binds`,
  act: () => {
    const target = { paymasterId, ruleId: rule?._id ?? '' };
    return transport.call('rules.update', { ...target, update: { enforcement: 'enforce' } });
  },
});

/** What is asked before an entry of that kind is deleted. @param isLast no other of its kind is there */
export const deleting = (
  transport: Transport,
  paymasterId: string,
  type: string,
  { rule, contract, webhook, name }: PolicyEntry,
  isLast: boolean,
): Asked => ({
  title: `Delete ${name}?`,
  consequence:
    contract !== undefined && isLast
      ? 'It is the last registered contract: without any, calls to every contract are sponsored.'
      : `From then on, ${ALLOWING[type] ?? 'it denies nothing: operations that it would have denied can be sponsored'}. To get it back, add it again.`,
  verb: 'Delete',
  done: `${name} is deleted`,
  act: () => {
    if (contract !== undefined) {
      return transport.call('contracts.delete', { paymasterId, address: contract.address });
    }
    if (webhook !== undefined) {
      return transport.call('webhooks.delete', { paymasterId, webhookId: webhook.webhookId });
    }
    return transport.call('rules.delete', { paymasterId, ruleId: rule?._id ?? '' });
  },
});
