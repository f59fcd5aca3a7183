import { expect, test } from 'vitest';
import { codeOf } from '../support/offline-desk.ts';
import { FEE, gameCall, operation } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();
const ETHER = 10n ** 18n;

/** An operation that may cost 0.034 ETH. */
const op = (nonce: number): Record<string, unknown> =>
  operation(
    { to: world().contracts.gameItems, data: gameCall('mint') },
    { nonce, callGasLimit: '15000000', maxFeePerGas: `0x${(2n * FEE).toString(16)}` },
  );

test('a chain with default settings lets a quarter of all its gas tanks be signed for in an hour', async () => {
  const { engine, chain } = world();
  const { chainId } = chain;
  await engine.service.call('chains.remove', { chainId, force: true });
  await engine.service.call('chains.set', { chainId, rpc: chain.url });
  await chain.provider.send('anvil_setNextBlockBaseFeePerGas', [String(FEE)]);
  await chain.provider.send('evm_mine', []);
  const [dapp] = [await world().dapp(ETHER), await world().dapp(2n * ETHER)];
  let code = 'SPONSORED';
  for (let nonce = 0; nonce < 40 && code === 'SPONSORED'; nonce += 1) code = codeOf(await dapp.sponsor(op(nonce)));
  // Half of it for one DApp, of a chain that has two.
  expect(code).toBe('BURN_RATE_EXCEEDED_BY_DAPP');
  const [denied, ...sponsored] = await dapp.decisions();
  const signed = sponsored.reduce((sum, { maxCostWei }) => sum + BigInt(maxCostWei!), 0n);
  expect(signed).toBeLessThanOrEqual((3n * ETHER) / 8n);
  expect(signed).toBeGreaterThan((3n * ETHER) / 10n);
  expect(denied?.message).toContain("half of the default: a quarter of what the chain's gas tanks hold, 3 ");

  const shown = async () => (await engine.service.call('chains.list', {})).find((one) => one.chainId === chainId);
  expect(await shown()).toMatchObject({
    breaker: 'default',
    breakerAmountWei: String((3n * ETHER) / 4n),
    maxOperationCostWei: null,
    defaultMaxOperationCostWei: String(ETHER / 10n),
  });

  await engine.service.call('chains.set', { chainId, breaker: null });
  await engine.service.call('paymasters.resume', { paymasterId: dapp.paymasterId });
  expect(codeOf(await dapp.sponsor(op(99)))).toBe('SPONSORED');
  expect(await shown()).toMatchObject({ breaker: null, breakerAmountWei: null });
});
