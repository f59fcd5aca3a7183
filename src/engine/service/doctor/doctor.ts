import { fixes } from '../../base/fixes.ts';
import type { ProcedureOutput } from '../../../api/index.ts';
import { EngineError } from '../../../shared/errors.ts';
import { programHash } from '../../base/program-hash.ts';
import { version } from '../../base/version.ts';
import { isUnchecked } from '../../chain/is-unchecked.ts';
import { requireNode } from '../../chain/require-node.ts';
import { ensureVerified } from '../../paymaster/verify-contract.ts';
import { requireContract, requireReady } from '../../paymaster/readiness.ts';
import { requireAttachable } from '../../../core/paymaster-layouts/registry.ts';
import type { ChainSettings, Dapp, PaymasterContract } from '../../store/registry-store.ts';
import type { ServiceContext } from '../service.ts';
import { findTank, readTankBalance, tankState } from '../tank-state.ts';
import { type Check, advice, attempt, failed, good, isolated } from './check.ts';
import { checkChainClock, checkClock } from './clock-checks.ts';
import { checkAccess, checkBackups, checkContinuousBackup, checkSpace } from './folder-checks.ts';
import { checkLog, checkRollback } from './log-check.ts';

/** Longer than settlement waits before it polls a failing node again. */
const LATE_POLL_MS = 5 * 60_000;
/** Operations mined longer ago than this need no attention. */
const UNMATCHED_MS = 7 * 24 * 3_600_000;

const UNCHECKED = 'Unchecked: the chain has no RPC URL, so Gasdesk signs operations without checking fees and gas tank';

const checkDatabase = async ({ store }: ServiceContext): Promise<Check> => {
  const errors = await store.integrityFaults();
  return errors.length === 0
    ? good('database', `OK, schema ${await store.schemaVersion()}`)
    : failed('database', errors.join('; '), 'Stop the service and restore a backup: "gasdesk restore FILE".');
};

/** Names the version, and the hash with which it is compared with the release. */
const checkProgram = (): Check => {
  const hash = programHash();
  return good('program', `Version ${version}, ${hash === undefined ? 'not a build' : `SHA-256 ${hash}`}`);
};

const checkVault = ({ vault }: ServiceContext): Check =>
  vault.state === 'unlocked'
    ? good('vault', 'Unlocked')
    : failed('vault', vault.state === 'absent' ? 'Not created yet' : 'Locked', fixes.unlockVault);

const checkChain = async (context: ServiceContext, settings: ChainSettings): Promise<Check[]> => {
  const { chains, clock, store } = context;
  const { chainId } = settings;
  if (isUnchecked(settings)) {
    const isUsed = (await store.listDapps()).some((dapp) => dapp.chainId === chainId);
    if (!isUsed) return [good(`chain ${chainId}`, 'Not used: it has no RPC URL, and no DApp')];
  }
  const fix = `Check the node, or run "gasdesk chain set ${chainId} --rpc URL".`;
  const reached = await attempt(`chain ${chainId}`, fix, async () => {
    const rpc = await chains.rpc(chainId);
    if (rpc === undefined) throw new EngineError('RPC_MISSING', UNCHECKED);
    return `At block ${Number(await rpc.send('eth_blockNumber', []))}`;
  });
  const rpc = reached.ok ? await chains.rpc(chainId) : undefined;
  const time = rpc && (await checkChainClock(clock, chainId, rpc));
  const settled = checkSettlement(context, chainId);
  const unmatched = await checkUnmatched(context, chainId);
  return [reached, time, settled, unmatched].filter((check) => check !== undefined);
};

/**
 * Undefined if settlement does not watch the chain, because nothing was ever signed there or the service is not
 * running.
 */
const checkSettlement = ({ clock, polledAt }: ServiceContext, chainId: number): Check | undefined => {
  const at = polledAt(chainId);
  if (at === undefined) return undefined;
  const name = `settlement on chain ${chainId}`;
  const seconds = Math.max(0, Math.round((clock.now() - at) / 1000));
  const detail = `Last checked ${seconds} s ago`;
  const fix =
    'Until the next check, mined operations count at their maximum cost. Look for the cause in "gasdesk log --level warn".';
  return clock.now() - at > LATE_POLL_MS ? advice(name, detail, fix) : good(name, detail);
};

/** Undefined if a decision was found for every mined operation. */
const checkUnmatched = async ({ store, clock }: ServiceContext, chainId: number): Promise<Check | undefined> => {
  const decisions = await store.countUnmatched(chainId, clock.now() - UNMATCHED_MS);
  if (decisions === 0) return undefined;
  const detail = `In the last 7 days, mined operations could not be matched with their decisions: ${decisions} decisions count at their maximum cost`;
  const fix =
    'Their senders altered them after signing, which no wallet does. "gasdesk log --level warn" names sender and transaction.';
  return advice(`operations on chain ${chainId}`, detail, fix);
};

/** What to do after an error that says that a contract cannot be used. */
const CONTRACT_FIXES: Partial<Record<EngineError['code'], (chainId: number, version: string) => string>> = {
  SIGNER_MISSING: fixes.createSigner,
  CONTRACT_MISMATCH: fixes.attachContract,
  PAYMASTER_NOT_READY: fixes.attachContract,
};

const checkContract = async (
  { store, chains }: ServiceContext,
  { chainId, version }: PaymasterContract,
): Promise<Check> => {
  const name = `contract ${version} on chain ${chainId}`;
  if (isUnchecked(await store.findChain(chainId))) return failed(name, UNCHECKED, fixes.setRpc(chainId));
  try {
    const layout = requireAttachable(version);
    const signer = await store.findSigner(chainId);
    if (signer === undefined) throw new EngineError('SIGNER_MISSING');
    const rpc = await requireNode(chains, chainId);
    // Read again, because another contract may have been attached during the chain reads.
    const { address } = await requireContract(store, chainId, layout);
    // An unchecked contract is verified before each signature until it passes.
    const unchecked = { chainId, version, address, checked: false };
    await store.savePaymasterContract(unchecked);
    await ensureVerified(store, rpc, { ...unchecked, layout, contract: address, signer: signer.address });
    return good(name, `${address}: hash and signer match`);
  } catch (error) {
    // Other errors say nothing about the contract: it was not checked.
    const fix = error instanceof EngineError ? CONTRACT_FIXES[error.code]?.(chainId, version) : undefined;
    if (!(error instanceof EngineError) || fix === undefined) throw error;
    return failed(name, error.message, fix);
  }
};

/** Parts without which a DApp is not ready. A locked vault has a check of its own. */
const PARTS: Readonly<Record<string, string>> = {
  contract: 'paymaster contract',
  signer: 'signing key',
  fundingWallet: 'funding wallet',
};

/** A DApp that has everything else sponsors nothing without money. Undefined if its balance is unknown. */
const checkTank = async (context: ServiceContext, dapp: Dapp): Promise<Check | undefined> => {
  const tank = await findTank(context, dapp);
  const { level } = await tankState(context, dapp, tank, (one) => readTankBalance(context, one));
  if (level !== 'empty') return undefined;
  const fix = `Deposit in the console, or with "gasdesk tank deposit --dapp ${dapp.paymasterId} --amount AMOUNT --from-key-file FILE".`;
  return advice(`DApp ${dapp.name}`, 'Its gas tank is empty: nothing is sponsored', fix);
};

/** Undefined if nothing is missing. */
const checkDapp = async (context: ServiceContext, dapp: Dapp): Promise<Check | undefined> => {
  try {
    await requireReady(context.store, context.vault, dapp);
    return await checkTank(context, dapp);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'PAYMASTER_NOT_READY') throw error;
    const part = PARTS[String(error.data['missing'])];
    const detail = `Not ready: its ${part} is missing`;
    return part === undefined ? undefined : advice(`DApp ${dapp.name}`, detail, String(error.data['fix']));
  }
};

/** The next setup step, if Gasdesk cannot sponsor yet; later, what single DApps lack. */
const checkSetup = async (context: ServiceContext): Promise<Check | readonly Check[]> => {
  const { store } = context;
  const [chains, dapps, signers] = [await store.listChains(), await store.listDapps(), await store.listSigners()];
  const contracts = await store.listPaymasterContracts();
  if (dapps.length > 0 && contracts.length > 0) {
    const each = await Promise.all(dapps.map((dapp) => checkDapp(context, dapp)));
    return each.filter((check) => check !== undefined);
  }
  const step = (detail: string, next: string): Check =>
    advice(
      'setup',
      detail,
      `${next} "Set up" in the console leads through all of it; "gasdesk serve" prints its address.`,
    );
  const chain = chains.find(({ rpc }) => rpc !== null);
  if (chain === undefined) return step('Next: a chain', 'Run "gasdesk chain set CHAIN_ID --rpc URL".');
  const target = `--chain ${chain.chainId}`;
  if (signers.length === 0) return step('Next: a signing key', `Run "gasdesk signer create ${target}".`);
  if (dapps.length === 0) return step('Next: a DApp', `Run "gasdesk dapp create --name NAME ${target}".`);
  const deploy = `Run "gasdesk contract deploy ${target} --version ${dapps[0]?.version ?? ''} --from-key-file FILE".`;
  return step('Next: a paymaster contract', deploy);
};

/** Checks everything that the service depends on, from the disk to the chains. */
export const examine = async (context: ServiceContext): Promise<ProcedureOutput<'system.doctor'>> => {
  const { store, clock, folder, freeBytes, backups, continuousBackup, address } = context;
  const checkChains = async (): Promise<Check[]> => {
    const chains = await store.listChains();
    const each = chains.map((chain) => isolated(`chain ${chain.chainId}`, () => checkChain(context, chain)));
    return (await Promise.all(each)).flat();
  };
  const checkContracts = async (): Promise<Check[]> => {
    const contracts = await store.listPaymasterContracts();
    const each = contracts.map((contract) =>
      isolated(`contract ${contract.version} on chain ${contract.chainId}`, () => checkContract(context, contract)),
    );
    return (await Promise.all(each)).flat();
  };
  const checks = [
    ...(await isolated('database', () => checkDatabase(context))),
    ...(await isolated('program', checkProgram)),
    ...(await isolated('rollback', () => checkRollback(context))),
    ...(await isolated('data folder', () => checkAccess(folder))),
    ...(await isolated('disk space', () => checkSpace(folder, freeBytes))),
    ...(await isolated('vault', () => checkVault(context))),
    ...(await isolated('backups', () => checkBackups(backups, clock))),
    ...(await isolated('continuous backup', () => checkContinuousBackup(continuousBackup.state(), address() !== null))),
    ...(await isolated('clock', () => checkClock(store, clock))),
    ...(await isolated('log', () => checkLog(context))),
    ...(await isolated('setup', () => checkSetup(context))),
    ...(await isolated('chains', checkChains)),
    ...(await isolated('contracts', checkContracts)),
  ];
  return { ok: checks.every(({ ok }) => ok), checks };
};
