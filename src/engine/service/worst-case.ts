import type { ProcedureOutput } from '../../api/index.ts';
import { requireLayout } from '../../core/paymaster-layouts/registry.ts';
import { attackedPolicy, leavesRulesOut } from '../../core/worst-case/attacked-policy.ts';
import type { Situation } from '../../core/worst-case/attack-operation.ts';
import { attackReservations, attackerOperation, worstCase } from '../../core/worst-case/worst-case.ts';
import { chainSymbol } from '../../shared/chains.ts';
import { requireTank } from '../paymaster/readiness.ts';
import { readMoney } from '../sponsorship/chain-reads.ts';
import type { CurrentPolicy } from '../sponsorship/current-policy.ts';
import { readCoinPrice, readShared } from '../sponsorship/gather.ts';
import type { ServiceContext } from './service.ts';

/** Placeholder for a missing signer. No result depends on the signer. */
const NOBODY = `0x${'00'.repeat(20)}` as const;

/**
 * The situation that an attacker of a DApp finds at present.
 *
 * @throws EngineError `PAYMASTER_NOT_READY`, `CHAIN_UNREACHABLE` or `CONTRACT_MISMATCH`
 */
const situationOf = async (
  context: Pick<ServiceContext, 'store' | 'chains' | 'clock' | 'rates' | 'fees' | 'deposits'>,
  current: CurrentPolicy,
  { price, people }: Pick<Situation, 'price' | 'people'>,
): Promise<Situation> => {
  const { store, chains, clock } = context;
  const { dapp, policy } = current;
  const tank = await requireTank(store, dapp);
  const rpc = await chains.rpc(tank.chainId);
  const { name: gasSchedule } = await chains.gasSchedule(tank.chainId);
  const op = attackerOperation(policy, gasSchedule);
  const chain = await readMoney(context, rpc, tank, { op }, true);
  const { layout, contract: address, fundingWallet } = tank;
  const contract = { version: layout.version, address, signer: policy.signer ?? NOBODY };
  return {
    at: clock.now(),
    chain,
    gasSchedule,
    hasNode: rpc !== undefined,
    contract: { ...contract, ...(fundingWallet !== undefined && { fundingWallet }) },
    ...(price && { price }),
    ...(people !== undefined && { people }),
    shared: await readShared(context, { tank, sender: op.sender }, current),
  };
};

/**
 * Finds the highest cost that someone with a DApp's API key can cause under its policy. Takes some tenths of a second,
 * in pieces, so that decisions can run in between.
 *
 * @param people how many people an attacker may be; absent: any number
 * @throws EngineError `PAYMASTER_NOT_READY`, `CHAIN_UNREACHABLE` or `CONTRACT_MISMATCH`
 */
export const findWorstCase = async (
  context: Pick<ServiceContext, 'store' | 'chains' | 'clock' | 'rates' | 'fees' | 'deposits'>,
  current: CurrentPolicy,
  people?: number,
): Promise<ProcedureOutput<'policies.worstCase'>> => {
  const { hash } = current;
  const price = await readCoinPrice(context.rates, current.policy);
  const policy = attackedPolicy(current.policy, price);
  const situation = await situationOf(context, { ...current, policy }, { price, people });
  const held = await context.store.heldOf(attackReservations(policy, situation));
  const finding = worstCase(policy, situation, held);
  for (;;) {
    const { done, value } = finding.next();
    if (done === true) {
      const { at, chain } = situation;
      const { chainId, version } = policy.dapp;
      const hasTokenMode = requireLayout(version).token !== undefined;
      return {
        revision: hash,
        at,
        coin: chainSymbol(chainId, policy.chain),
        tankWei: chain?.balanceWei ?? null,
        baseFeeWei: chain?.baseFeeWei ?? null,
        takesTokens: hasTokenMode && policy.dapp.tokenMode && (await context.store.listFeeTokens(chainId)).length > 0,
        people: people ?? null,
        leavesRulesOut: leavesRulesOut(current.policy, price),
        ...value,
      };
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
};
