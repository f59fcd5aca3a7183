import { group } from './command.ts';
import { secretIn } from './desk.ts';
import { calling } from './fields.ts';
import { from, sending } from './sign-and-send.ts';
import { amount, chain, dapp } from './words.ts';

const replace = 'replace the existing key, which is then lost';

/** `gasdesk signer` */
export const signerCommand = group('signer', 'Keys that sign sponsorships, one per chain', [
  calling('create', 'Create the key that signs sponsorships on a chain', 'signers.create', { chainId: chain, replace }),
  calling('import', 'Import the key that signs sponsorships on a chain', 'signers.import', {
    chainId: chain,
    privateKey: { words: '--private-key-file <file>  file with the key, 0x and 64 hex digits', send: secretIn },
    replace,
  }),
  calling(
    'prepare-next',
    'Create the next signing key of a chain; the current key keeps signing',
    'signers.prepareNext',
    { chainId: chain },
  ).addHelpText(
    'after',
    '\nNext, run "gasdesk contract accept-signer" for each contract of the chain, then "gasdesk signer use-next".',
  ),
  calling('use-next', 'Switch to the prepared key, once the contracts of the chain accept it', 'signers.useNext', {
    chainId: chain,
  }),
  calling('drop-next', 'Delete the prepared key', 'signers.dropNext', { chainId: chain }, (_none, { input }) => ({
    chainId: input.chainId,
    next: null,
  })),
  calling('list', 'List the signers', 'signers.list', {}),
]);

const target = { chainId: chain, version: 'paymaster version, e.g. 1.1.0' };
const byOwner = { ...target, from: from('the key that owns the contract') };

/** `gasdesk contract` */
export const contractCommand = group('contract', 'Paymaster contracts', [
  sending('deploy', 'Deploy a paymaster contract that accepts the signer of the chain, and attach it', 'deploy', {
    ...target,
    from: from('the key that pays for the deployment and owns the contract'),
  }),
  calling('use', 'Attach a deployed paymaster contract', 'paymasterContracts.use', {
    ...target,
    address: 'address of the contract',
  }),
  sending(
    'accept-signer',
    "Make a contract accept the chain's next signing key, or the current one if none is prepared",
    'acceptSigner',
    byOwner,
  ),
  sending('remove-signer', 'Remove a signer from a contract that has several', 'removeSigner', {
    ...byOwner,
    signer: '--signer <address>  address of the signer to remove',
  }),
  sending('add-stake', 'Add to the stake of a contract at the EntryPoint, which bundlers ask for', 'addStake', {
    ...byOwner,
    amountWei: amount,
    unstakeDelaySec:
      '--unstake-delay <seconds>  wait between unlocking and withdrawing; default: the present one, at least a day',
  }),
  sending(
    'unlock-stake',
    'Unlock the stake of a contract: it can be withdrawn after its delay',
    'unlockStake',
    byOwner,
  ),
  sending('withdraw-stake', 'Withdraw the unlocked stake of a contract', 'withdrawStake', {
    ...byOwner,
    to: '--to <address>  address that receives the coins',
  }),
  calling(
    'reputation',
    'Show the stake of a contract, which bundlers include its operations, and how near it is to being throttled',
    'reputation.get',
    target,
  ),
  calling('list', 'List the attached paymaster contracts', 'paymasterContracts.list', {}),
]);

/** `gasdesk tank` */
export const tankCommand = group('tank', 'Gas tanks', [
  calling('show', 'Show the gas tank of a DApp, and how long it lasts', 'tanks.get', { paymasterId: dapp }),
  sending('deposit', 'Deposit into the gas tank of a DApp', 'deposit', {
    paymasterId: dapp,
    amountWei: amount,
    from: from('the key that pays'),
  }),
  sending(
    'withdraw',
    'Withdraw unreserved coins from the gas tank of a DApp; the funding wallet signs, or the owner of a contract without tanks',
    'withdraw',
    {
      paymasterId: dapp,
      amountWei: amount,
      from: from('the key that owns the tank'),
      to: '--to <address>  address that receives the coins',
    },
  ),
  calling('transactions', 'List the transactions of the gas tank of a DApp, newest first', 'transactions.list', {
    paymasterId: { words: dapp, required: true },
    chainId: null,
  }),
  calling('forget', 'Stop waiting for a transaction that the node does not know', 'transactions.forget', {
    transactionId: '<id>  id of the transaction, as "tank transactions" shows it, or its beginning',
  }).addHelpText(
    'after',
    '\nA withdrawal then no longer counts as pending. If the transaction is mined later, its coins still move.',
  ),
  calling(
    'threshold',
    'Set the balance below which a gas tank is low; without an amount: the cost of twenty operations',
    'tanks.setThreshold',
    { paymasterId: dapp, lowBalanceThresholdWei: amount },
    (_none, { call, input }) => call('tanks.get', { paymasterId: input.paymasterId }),
  ),
]);
