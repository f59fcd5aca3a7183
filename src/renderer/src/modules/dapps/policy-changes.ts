import { ruleTypes } from '../../../../core/decision/rule-words.ts';
import type { PolicyChange } from '../policy-trial/policy-change.ts';
import type { PolicyEntry } from './policy-steps.ts';

/** A policy file that is about to be applied, and where it is from. */
export interface ShownPolicyFile {
  readonly title: string;
  readonly text: string;
}

interface EntryChange {
  readonly change: PolicyChange;
  /** The message to show after the change. */
  readonly done: string;
}

/** A question to confirm before an entry is paused, enforced or deleted. */
interface Confirmation extends EntryChange {
  readonly title: string;
  readonly consequence: string;
  readonly verb: string;
}

/**
 * What happens without an entry. If the entry allows operations, they are then denied. If it restricts operations, they
 * are then sponsored.
 */
const withoutIt = (type: string): string =>
  (type === 'contracts'
    ? 'operations that call it are denied'
    : ruleTypes.find((kind) => kind.type === type)?.setup.allows) ??
  'it denies nothing, and operations that it would have denied can be sponsored';

const switchOf = (paymasterId: string, { rule, webhook, active }: PolicyEntry): PolicyChange => {
  if (webhook !== undefined) {
    const { webhookId } = webhook;
    return { name: 'webhooks.update', input: { paymasterId, webhookId, active: !active } };
  }
  const input = { paymasterId, ruleId: rule?._id ?? '' };
  return active ? { name: 'rules.deactivate', input } : { name: 'rules.activate', input };
};

export const switching = (paymasterId: string, entry: PolicyEntry): EntryChange => ({
  done: entry.active ? `${entry.name} is paused` : `${entry.name} is active`,
  change: switchOf(paymasterId, entry),
});

export const pausing = (paymasterId: string, type: string, entry: PolicyEntry): Confirmation => ({
  ...switching(paymasterId, entry),
  title: `Pause ${entry.name}?`,
  consequence: `Until you resume it, ${withoutIt(type)}.`,
  verb: 'Pause',
});

/** The question before a whole DApp is paused. */
export const pausingDapp = (name: string): Pick<Confirmation, 'title' | 'consequence' | 'verb'> => ({
  title: `Pause ${name}?`,
  consequence:
    'Until you resume it, Gasdesk signs nothing for this DApp, whether you or the user would pay. Requests are denied ' +
    'and listed under Decisions. Operations that are already signed stay valid until they expire.',
  verb: 'Pause',
});

export const enforcing = (paymasterId: string, { rule, name }: PolicyEntry): Confirmation => ({
  title: `Enforce ${name}?`,
  consequence: 'It then denies what it would have denied in shadow. Its counters are kept.',
  verb: 'Enforce',
  done: `${name} is enforced`,
  change: { name: 'rules.update', input: { paymasterId, ruleId: rule?._id ?? '', update: { enforcement: 'enforce' } } },
});

const deletionOf = (paymasterId: string, { rule, contract, webhook }: PolicyEntry): PolicyChange => {
  if (contract !== undefined) {
    return { name: 'contracts.delete', input: { paymasterId, address: contract.address } };
  }
  if (webhook !== undefined) {
    return { name: 'webhooks.delete', input: { paymasterId, webhookId: webhook.webhookId } };
  }
  return { name: 'rules.delete', input: { paymasterId, ruleId: rule?._id ?? '' } };
};

/**
 * The question before an entry of this kind is deleted. @param isLast true if the DApp has no other entry of this kind
 */
export const deleting = (paymasterId: string, type: string, entry: PolicyEntry, isLast: boolean): Confirmation => ({
  title: `Delete ${entry.name}?`,
  consequence:
    entry.contract !== undefined && isLast
      ? 'It is the last registered contract. Without any, Gasdesk sponsors calls to every contract.'
      : `From then on, ${withoutIt(type)}. To get it back, add it again.`,
  verb: 'Delete',
  done: `${entry.name} is deleted`,
  change: deletionOf(paymasterId, entry),
});
