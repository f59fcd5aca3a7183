import { Transaction, type Wallet, HDNodeWallet, parseEther, toQuantity } from 'ethers';
import { attachNewContract } from '../../src/demo/attach-new-contract.ts';
import { contractAt, type WorldContracts } from '../../src/demo/world-contracts.ts';
import type { ProcedureInput, ProcedureOutput } from '../../src/api/index.ts';
import { entryPoints } from '../../src/core/entry-points/registry.ts';
import type { Address, Hex } from '../../src/shared/schema/hex.ts';
import { type CuttableProxy, startCuttableProxy } from './cuttable-proxy.ts';
import { type TestChain, useLocalChain } from './local-chain.ts';
import { startOnChain } from './sponsored-world.ts';
import { useFixture } from './fixture.ts';
import type { ManualClock } from './manual-clock.ts';
import { type ServingEngine, type SponsoredDapp, startEngine } from './engine.ts';
import { makeTempFolder, removeTempFolder } from './temp-folder.ts';

type Action = ProcedureInput<'transactions.prepare'>['action'];
export type PreparedDraft = ProcedureOutput<'transactions.prepare'>;
export type SentTransaction = ProcedureOutput<'transactions.send'>;

/** A desk whose operator acts on a local chain, which it reaches through a line that can be cut. */
export interface OperatorDesk {
  readonly chain: TestChain;
  readonly line: CuttableProxy;
  readonly clock: ManualClock;
  readonly contracts: WorldContracts;
  /** Pays for and owns what the desk did not deploy by itself. */
  readonly operator: HDNodeWallet;
  readonly engine: () => ServingEngine;
  readonly database: string;
  restart(): Promise<void>;
  rich(ether?: string): Promise<HDNodeWallet>;
  /** Attaches a new contract of the version, owned by {@link operator}. */
  attach(version: string): Promise<Address>;
  /** A DApp with a funding wallet of its own, which has money. */
  dapp(version: string): Promise<SponsoredDapp & { readonly wallet: HDNodeWallet }>;
  prepare(action: Action, from: { address: string }): Promise<PreparedDraft>;
  /** Prepares, signs and sends; waits until the transaction is mined, unless transactions are held back. */
  send(action: Action, from: Wallet | HDNodeWallet): Promise<SentTransaction>;
  /** The transaction as the desk knows it now. */
  now(sent: SentTransaction): Promise<SentTransaction>;
  tank(dapp: SponsoredDapp): Promise<ProcedureOutput<'tanks.get'>>;
  /** Balance on chain of a tank, or the deposit of a contract without tanks. */
  balanceOnChain(contract: Address, fundingWallet?: Address): Promise<bigint>;
  /** Holds transactions back until {@link mine}. */
  hold(): Promise<void>;
  /** Mines the held transactions and some more blocks. From then on each transaction is mined at once. */
  mine(blocks?: number): Promise<void>;
}

/** The transaction of a draft, signed as a device would. */
export const signDraft = async (
  { unsigned }: Pick<PreparedDraft, 'unsigned'>,
  wallet: Wallet | HDNodeWallet,
): Promise<Hex> => (await wallet.signTransaction(Transaction.from(unsigned))) as Hex;

const build = async (chain: TestChain, line: CuttableProxy, dir: string): Promise<OperatorDesk> => {
  const { engine: started, ...base } = await startOnChain({ chain, dir, rpc: line.url });
  const { clock, operator } = base;
  const { provider, chainId } = chain;
  let engine = started;
  const service = (): ServingEngine['service'] => engine.service;
  let isHeld = false;

  const desk: OperatorDesk = {
    ...base,
    line,
    engine: () => engine,
    async restart() {
      await engine.stop();
      engine = await startEngine({ dir, clock });
    },
    async rich(ether = '100') {
      const wallet = HDNodeWallet.createRandom().connect(provider);
      await provider.send('anvil_setBalance', [wallet.address, toQuantity(parseEther(ether))]);
      return wallet;
    },
    attach: (version) => attachNewContract(service(), operator, { chainId, version }),
    async dapp(version) {
      const wallet = await desk.rich();
      return { ...(await engine.dapp({ version, fundingWallet: wallet })), wallet };
    },
    prepare: (action, { address }) => service().call('transactions.prepare', { action, from: address }),
    async send(action, from) {
      const draft = await desk.prepare(action, from);
      const signedTransaction = await signDraft(draft, from);
      const sent = await service().call('transactions.send', { draftId: draft.draftId, signed: { signedTransaction } });
      // The node answers a little before it mines.
      while (!isHeld && (await provider.send('eth_getTransactionReceipt', [sent.hash])) === null);
      return sent;
    },
    async now({ transactionId }) {
      const all = await service().call('transactions.list', {});
      const found = all.find((one) => one.transactionId === transactionId);
      if (found === undefined) throw new Error('the desk does not know the transaction');
      return found;
    },
    tank: ({ paymasterId }) => service().call('tanks.get', { paymasterId }),
    async balanceOnChain(contract, fundingWallet) {
      const [name, at, whose] =
        fundingWallet === undefined
          ? (['EntryPoint', entryPoints['0.6'].address, contract] as const)
          : (['VerifyingSingletonPaymaster', contract, fundingWallet] as const);
      const method = fundingWallet === undefined ? 'balanceOf' : 'getBalance';
      return (await (await contractAt(name, at, provider)).getFunction(method)(whose)) as bigint;
    },
    async hold() {
      isHeld = true;
      await provider.send('evm_setAutomine', [false]);
    },
    async mine(blocks = 1) {
      await provider.send('anvil_mine', [toQuantity(blocks)]);
      await provider.send('evm_setAutomine', [true]);
      isHeld = false;
    },
  };
  return desk;
};

/** Gives the tests of the calling file such a desk. Call the result inside tests. */
export const useOperatorDesk = (): (() => OperatorDesk) => {
  const localChain = useLocalChain();
  const dir = makeTempFolder();
  return useFixture(
    async () => build(localChain(), await startCuttableProxy(localChain().url), dir),
    async (desk) => {
      await desk?.engine().stop();
      await desk?.line.cut();
      removeTempFolder(dir);
    },
  );
};
