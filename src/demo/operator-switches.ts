import { parseEther } from 'ethers';
import type { Address } from '../shared/schema/hex.ts';
import type { SwitchName } from './playground-scene.ts';
import { NO_NODE } from './sponsored-story.ts';
import type { Stage } from './stage.ts';
import { contractAt, fundGasTank } from './world-contracts.ts';

/** Little enough that the level is seen to fall with each operation. */
export const TANK_WEI = parseEther('0.06');
/** The balance below which the tank is low. */
export const LOW_WEI = parseEther('0.02');
/** Enough for hours of traffic, and for users who pay in tokens. */
export const AMPLE_WEI = parseEther('5');

/** Empties the gas tank on chain, or refills it. */
const switchTank = async ({ world, dapp }: Stage, empty: boolean): Promise<void> => {
  const { cast, provider } = world;
  const owner = cast.fundingWallet.address as Address;
  if (!empty) {
    await fundGasTank(dapp.paymaster, owner, TANK_WEI, cast.operator);
    return;
  }
  const contract = await contractAt('VerifyingSingletonPaymaster', dapp.paymaster, cast.fundingWallet);
  const balance = (await contract.connect(provider).getFunction('getBalance')(owner)) as bigint;
  await (await contract.getFunction('withdrawTo').send(owner, balance)).wait();
};

/** Turns each switch on or off. The webhook belongs to the playground and reads its switch itself. */
export const operatorSwitches = (
  stage: Stage,
  paymasterId: string,
): Readonly<Record<SwitchName, (on: boolean) => Promise<unknown>>> => {
  const { engine, chain } = stage.world;
  const { service } = engine;
  return {
    pause: (on) =>
      on ? service.call('system.pause', { reason: 'The playground' }) : service.call('system.resume', {}),
    tank: (on) => switchTank(stage, on),
    breaker: (on) =>
      service.call('chains.set', {
        chainId: chain.chainId,
        breaker: on ? { amountWei: '1', seconds: 3600 } : 'default',
      }),
    newAccounts: async (on) => {
      const rules = await service.call('rules.list', { paymasterId });
      const ruleId = rules.find(({ policyType }) => policyType === 'WALLET_DEPLOYMENT')?._id;
      await service.call(on ? 'rules.deactivate' : 'rules.activate', { paymasterId, ruleId });
    },
    webhook: async () => undefined,
    node: (on) =>
      service.call('chains.set', {
        chainId: chain.chainId,
        rpc: on ? NO_NODE : chain.url,
        unreachable: on ? { budgetWei: '1' } : null,
      }),
  };
};
