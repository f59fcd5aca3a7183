import { InvalidArgumentError } from 'commander';
import type { Address } from '../shared/schema/hex.ts';
import { typedWei } from '../shared/typed-wei.ts';
import { command, group, printFromDesk } from './command.ts';
import type { DeskOptions } from './desk.ts';
import { type TransactionSignerFlags, withTransactionSignerFlags } from './operator-key.ts';
import { sendFromDesk } from './sign-and-send.ts';

type TankOptions = DeskOptions & { paymaster: string };
type MoneyOptions = TankOptions & TransactionSignerFlags & { amount: string };

/** Reads an amount of the chain's coin, such as 0.5, as decimal wei. */
const amountArgument = (text: string): string => {
  const wei = typedWei(text);
  if (wei !== undefined) return wei;
  throw new InvalidArgumentError('Use an amount of the native coin, such as 0.5.');
};

const ofTank = (name: string, summary: string) =>
  command(name, summary).requiredOption('--paymaster <id>', 'paymasterId of the DApp');

const moving = (name: string, summary: string, key: string) =>
  withTransactionSignerFlags(
    ofTank(name, summary).requiredOption('--amount <amount>', 'amount of the native coin, such as 0.5', amountArgument),
    key,
  );

const show = ofTank('show', 'Show the gas tank of a DApp, and how long it lasts').action(
  ({ paymaster: paymasterId, ...options }: TankOptions) =>
    printFromDesk(options, (call) => call('tanks.get', { paymasterId })),
);

const deposit = moving('deposit', 'Deposit into the gas tank of a DApp', 'the key that pays').action(
  ({ paymaster: paymasterId, amount: amountWei, ...options }: MoneyOptions) =>
    sendFromDesk(options, { kind: 'deposit', paymasterId, amountWei }),
);

const withdraw = moving(
  'withdraw',
  'Withdraw unreserved coins from the gas tank of a DApp; the funding wallet signs, or the owner of a contract without tanks',
  'the key that owns the tank',
)
  .requiredOption('--to <address>', 'address that receives the coins')
  .action(({ paymaster: paymasterId, amount: amountWei, to, ...options }: MoneyOptions & { to: Address }) =>
    sendFromDesk(options, { kind: 'withdraw', paymasterId, amountWei, to }),
  );

const forget = command('forget', 'Stop waiting for a transaction that the node does not know')
  .argument('<transactionId>', 'id of the transaction, as "tank transactions" shows it')
  .addHelpText(
    'after',
    '\nA withdrawal then no longer counts as pending. If the transaction is mined later, its coins still move.',
  )
  .action((transactionId: string, options: DeskOptions) =>
    printFromDesk(options, (call) => call('transactions.forget', { transactionId })),
  );

const transactions = ofTank('transactions', 'List the transactions of the gas tank of a DApp, newest first').action(
  ({ paymaster: paymasterId, ...options }: TankOptions) =>
    printFromDesk(options, (call) => call('transactions.list', { paymasterId })),
);

const threshold = ofTank(
  'threshold',
  'Set the balance below which a gas tank is low; without an amount: the cost of twenty operations',
)
  .option('--amount <amount>', 'amount of the native coin, such as 0.5', amountArgument)
  .action(({ paymaster: paymasterId, amount, ...options }: TankOptions & { amount?: string }) =>
    printFromDesk(options, async (call) => {
      await call('tanks.setThreshold', { paymasterId, lowBalanceThresholdWei: amount ?? null });
      return call('tanks.get', { paymasterId });
    }),
  );

/** `gasdesk tank` */
export const tankCommand = group('tank', 'Gas tanks', [show, deposit, withdraw, transactions, forget, threshold]);
