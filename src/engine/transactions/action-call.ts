import { Interface } from 'ethers';
import type { ChainAction } from '../../api/transactions.ts';
import { EngineError } from '../../shared/errors.ts';
import { type Address, type Hex, sameAddress } from '../../shared/schema/hex.ts';
import { canonicalContracts, canonicalCreation } from '../chain/canonical-contracts.ts';
import { creationCode } from '../chain/creation-code.ts';
import { readCode } from '../chain/gas/eth-call.ts';
import { requireNode } from '../chain/require-node.ts';
import { signerKind } from '../../core/paymaster-layouts/layout.ts';
import { entryPoint06 } from '../../core/entry-points/0.6.ts';
import { handleOpsCall } from '../../core/user-operation/abi.ts';
import { type Tank, requireContract, requireTank } from '../paymaster/readiness.ts';
import { replacedWords } from '../paymaster/replaced-contract.ts';
import { missingEntryPoint } from '../paymaster/verify-contract.ts';
import { requireAttachable } from '../../core/paymaster-layouts/registry.ts';
import { requireSigner } from '../signer/chain-signer.ts';
import { nextSignerOf, refusing } from '../paymaster/next-signer.ts';
import type { PaymasterContract } from '../store/registry-store.ts';
import type { Action, ActionCall } from './action.ts';
import { type ActionContext, amountsOn, failing, mustBeOwned } from './action-context.ts';
import { signerSetterCall } from './signer-setter.ts';
import { addStake, unlockStake, withdrawStake } from './stake-call.ts';
import { requireFree } from './withdrawal.ts';

const abi = new Interface([
  'function depositFor(address paymasterId) payable',
  'function depositTo(address account) payable',
  'function withdrawTo(address to, uint256 amount)',
  'function addSigner(address signer)',
  'function removeSigner(address signer)',
]);

const encode = (name: string, ...values: unknown[]): Hex => abi.encodeFunctionData(name, values) as Hex;

const tankOf = async ({ store }: ActionContext, paymasterId: string): Promise<Tank> => {
  const dapp = await store.findDapp(paymasterId);
  if (dapp === undefined) throw new EngineError('PAYMASTER_NOT_FOUND');
  return requireTank(store, dapp);
};

const deposit = async (context: ActionContext, { paymasterId, amountWei }: Action<'deposit'>): Promise<ActionCall> => {
  const { chainId, layout, contract, entryPoint, fundingWallet } = await tankOf(context, paymasterId);
  const amount = (await amountsOn(context.store, chainId))(amountWei);
  const common = { chainId, paymasterId, version: layout.version, valueWei: amountWei, signer: null };
  if (fundingWallet !== undefined) {
    const summary = `Deposits ${amount} into the gas tank of ${fundingWallet} in the contract ${contract}.`;
    return { ...common, to: contract, data: encode('depositFor', fundingWallet), summary };
  }
  const summary = `Deposits ${amount} into the EntryPoint for the contract ${contract}, which pays for all DApps of this version.`;
  return { ...common, to: entryPoint, data: encode('depositTo', contract), summary };
};

const withdraw = async (context: ActionContext, action: Action<'withdraw'>, from: Address): Promise<ActionCall> => {
  const { paymasterId, amountWei, to } = action;
  const tank = await tankOf(context, paymasterId);
  const { chainId, layout, contract, fundingWallet } = tank;
  if (layout.delayedWithdrawal === true) {
    throw failing(
      `Version ${layout.version} pays out after a delay. Call submitWithdrawalRequest of ${contract} from the funding wallet, and executeWithdrawalRequest later.`,
    );
  }
  if (fundingWallet !== undefined && !sameAddress(fundingWallet, from)) {
    throw failing(`Only the funding wallet ${fundingWallet} may withdraw from its tank.`, { only: fundingWallet });
  }
  mustBeOwned(tank, to);
  await requireFree(context, { tank, amountWei });
  const whose =
    fundingWallet === undefined ? `the deposit of the contract ${contract}` : `the tank of ${fundingWallet}`;
  const amount = (await amountsOn(context.store, chainId))(amountWei);
  const summary = `Withdraws ${amount} from ${whose} to ${to}.`;
  const data = encode('withdrawTo', to, amountWei);
  const common = { chainId, paymasterId, version: layout.version, to: contract, valueWei: 0n, signer: null };
  return { ...common, data, summary, withdrawal: { tank, amountWei } };
};

const nextOf = ({ vault }: ActionContext, chainId: number): Address | undefined =>
  vault.state === 'unlocked' ? nextSignerOf(vault, chainId) : undefined;

const deploy = async (context: ActionContext, action: Action<'deploy'>, from: Address): Promise<ActionCall> => {
  const { chainId, version } = action;
  const layout = requireAttachable(version);
  const present = await requireSigner(context.store, chainId);
  const next = signerKind(layout) === 'fixed' ? nextOf(context, chainId) : undefined;
  const signer = next ?? present;
  const data = await creationCode(layout, { owner: from, signer });
  const missing = await missingEntryPoint(await requireNode(context.chains, chainId), { chainId, layout });
  if (missing !== undefined) throw failing(missing);
  const then = next === undefined ? '' : ', and this next key signs from then on';
  const replaced = await replacedWords(context, chainId, layout);
  const made = `Deploys ${layout.title}. Owner ${from}, signer ${signer}. It is attached when it is mined${then}.`;
  const summary = replaced === null ? made : `${made} ${replaced}`;
  return { chainId, paymasterId: null, version, to: null, valueWei: 0n, data, signer, summary };
};

const others = async (
  { store, chains }: ActionContext,
  { chainId, version }: PaymasterContract,
  signer: Address,
): Promise<PaymasterContract[]> => {
  const attached = (await store.listPaymasterContracts()).filter((one) => one.chainId === chainId);
  const rest = attached.filter((one) => one.version !== version);
  return rest.length === 0 ? [] : refusing((await requireNode(chains, chainId)).call, rest, signer);
};

const unminedFail = (when: string) => `Operations that were signed ${when} and are not yet mined will fail.`;

/** The consequences of a change of signer, if the contract accepts only one signer at a time. */
const switching = async (context: ActionContext, contract: PaymasterContract, next: Address): Promise<string> => {
  const behind = await others(context, contract, next);
  const addable = behind.find(({ version }) => signerKind(requireAttachable(version)) === 'many');
  if (addable !== undefined) {
    throw failing(
      `First make the contract ${addable.address} (${addable.version}) accept ${next}: it can accept both keys.`,
    );
  }
  const [blocking] = behind;
  if (blocking === undefined) return `The key signs as soon as the transaction is mined. ${unminedFail('before')}`;
  return `Gasdesk sponsors nothing with this contract until ${blocking.version} accepts the key, too. ${unminedFail('before')}`;
};

const acceptSigner = async (context: ActionContext, action: Action<'acceptSigner'>): Promise<ActionCall> => {
  const { chainId, version } = action;
  const layout = requireAttachable(version);
  const attached = await requireContract(context.store, chainId, layout);
  const next = nextOf(context, chainId);
  const signer = next ?? (await requireSigner(context.store, chainId));
  if (signerKind(layout) === 'fixed') {
    throw failing(`The signer of a ${layout.title} cannot change. Deploy a new contract that accepts ${signer}.`);
  }
  const { call } = await requireNode(context.chains, chainId);
  if ((await refusing(call, [attached], signer)).length === 0) {
    throw failing(`The contract ${attached.address} already accepts ${signer}.`);
  }
  const common = { chainId, paymasterId: null, version, to: attached.address, valueWei: 0n, signer };
  if (layout.signerSetter === undefined) {
    const summary = `Makes the contract ${attached.address} accept signatures of ${signer}, too.`;
    return { ...common, data: encode('addSigner', signer), summary };
  }
  const more = next === undefined ? unminedFail('before') : await switching(context, attached, next);
  const summary = `Makes the contract ${attached.address} accept signatures of ${signer} only. ${more}`;
  const data = await signerSetterCall(context, attached, { signer, usual: layout.signerSetter });
  return { ...common, data, summary };
};

const removeSigner = async (context: ActionContext, action: Action<'removeSigner'>): Promise<ActionCall> => {
  const { chainId, version, signer } = action;
  const layout = requireAttachable(version);
  const { address } = await requireContract(context.store, chainId, layout);
  if (signerKind(layout) !== 'many') throw failing(`A ${layout.title} has one signer, which can only be replaced.`);
  if (sameAddress(signer, await requireSigner(context.store, chainId))) {
    throw failing(`${signer} is the signer of this chain. Switch to the next key first.`);
  }
  const summary = `Makes the contract ${address} reject signatures of ${signer}. ${unminedFail('with it')}`;
  const data = encode('removeSigner', signer);
  return { chainId, paymasterId: null, version, to: address, valueWei: 0n, data, signer, summary };
};

const deployCanonical = async (
  { chains }: ActionContext,
  { chainId, contract }: Action<'deployCanonical'>,
): Promise<ActionCall> => {
  const canonical = canonicalContracts[contract];
  const { title, address } = canonical;
  const rpc = await requireNode(chains, chainId);
  if ((await readCode(rpc, address)) !== '0x') throw failing(`${title} is at ${address} already.`);
  const summary = `Deploys ${title} to ${address}, its address on every chain.`;
  const call = await canonicalCreation(canonical);
  return { chainId, paymasterId: null, version: title, ...call, valueWei: 0n, signer: null, summary };
};

const handleOps = async (context: ActionContext, action: Action<'handleOps'>, from: Address): Promise<ActionCall> => {
  const { paymasterId, userOperation } = action;
  const { chainId, layout, entryPoint } = await tankOf(context, paymasterId);
  if (layout.entryPointVersion !== entryPoint06.version) {
    throw failing(
      `Version ${layout.version} is for EntryPoint v${layout.entryPointVersion}: send it through a bundler.`,
    );
  }
  const data = handleOpsCall(userOperation, from);
  const summary = `Bundles one operation of ${userOperation.sender}. The EntryPoint pays its cost back to ${from}.`;
  const common = { chainId, paymasterId, version: layout.version, valueWei: 0n, signer: null };
  return { ...common, to: entryPoint, data, summary };
};

/**
 * The call for an action of the operator, according to the contract's layout.
 *
 * @throws EngineError `PAYMASTER_NOT_FOUND`, `PAYMASTER_NOT_READY`, `VERSION_NOT_SUPPORTED`, `NOT_DEPLOYABLE`,
 * `SIGNER_MISSING`, `RPC_MISSING`, `CHAIN_UNREACHABLE`, `VAULT_LOCKED`, and `TRANSACTION_WOULD_FAIL` if that is known
 * without a simulation; RpcError
 */
export const actionCall = (context: ActionContext, action: ChainAction, from: Address): Promise<ActionCall> => {
  switch (action.kind) {
    case 'deposit':
      return deposit(context, action);
    case 'withdraw':
      return withdraw(context, action, from);
    case 'deploy':
      return deploy(context, action, from);
    case 'acceptSigner':
      return acceptSigner(context, action);
    case 'removeSigner':
      return removeSigner(context, action);
    case 'addStake':
      return addStake(context, action);
    case 'unlockStake':
      return unlockStake(context, action);
    case 'withdrawStake':
      return withdrawStake(context, action);
    case 'deployCanonical':
      return deployCanonical(context, action);
    case 'handleOps':
      return handleOps(context, action, from);
  }
};
