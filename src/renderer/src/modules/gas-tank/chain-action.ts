import type { ProcedureInput, ProcedureOutput } from '../../../../api/index.ts';

export type ChainAction = ProcedureInput<'transactions.prepare'>['action'];
export type Tank = ProcedureOutput<'tanks.get'>;
export type Draft = ProcedureOutput<'transactions.prepare'>;
export type Transaction = ProcedureOutput<'transactions.list'>[number];

/**
 * The title of the dialog for each action, and a sentence about the action, which the dialog shows before anything is
 * entered.
 */
export const actionWords: Readonly<Record<ChainAction['kind'], { title: string; intro: string }>> = {
  deposit: { title: 'Deposit', intro: 'Anyone can fill the tank. Its balance covers sponsored gas.' },
  withdraw: { title: 'Withdraw', intro: 'Only the owner of the tank can withdraw.' },
  deploy: {
    title: 'Deploy the paymaster contract',
    intro:
      'The signing wallet owns the contract and can withdraw its balance. Gasdesk attaches the contract once it is mined.',
  },
  acceptSigner: {
    title: 'Make the contract accept the signing key',
    intro: 'Only the owner of the contract can do this. Gasdesk signs with a key that the contract accepts.',
  },
  removeSigner: {
    title: 'Remove a signing key',
    intro: 'Only the owner of the contract can do this. Operations signed by this key fail from then on.',
  },
  addStake: {
    title: 'Add stake',
    intro:
      'Only the owner of the contract can do this. A stake pays for no gas. Bundlers accept more operations at a time of a contract that has one.',
  },
  unlockStake: {
    title: 'Unlock the stake',
    intro: 'Only the owner of the contract can do this. Bundlers treat the contract as not staked from then on.',
  },
  withdrawStake: {
    title: 'Withdraw the stake',
    intro: 'Only the owner of the contract can do this, once the delay after unlocking is over.',
  },
  deployCanonical: {
    title: 'Deploy a canonical contract',
    intro: 'Every public chain has it. A new development chain does not.',
  },
  handleOps: {
    title: 'Bundle an operation',
    intro: 'The signing wallet sends it to the EntryPoint, which pays its cost back from the gas tank.',
  },
};
