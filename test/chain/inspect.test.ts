import { expect, onTestFinished, test } from 'vitest';
import { quickEngine } from '../support/quick-engine.ts';
import { useSettlementWorld } from '../support/settlement-world.ts';
import { useTempFolders } from '../support/temp-folder.ts';

const world = useSettlementWorld();
const tempFolder = useTempFolders();

test('the hash of a transaction is looked up on the chain of the desk, and its bundle is taken apart', async () => {
  const { sponsor, stop } = await world().desk();
  const { transactionHash, userOpHash } = await world().mine(await sponsor());
  await stop();
  const engine = await quickEngine(tempFolder());
  onTestFinished(() => engine.stop());
  const { service } = engine;
  await service.call('chains.set', { chainId: 31_337, rpc: world().chain.url });
  const { readings } = await service.call('inspect.value', { value: transactionHash });
  expect(readings[0]).toMatchObject({ what: 'bundle', title: 'handleOps of EntryPoint 0.6 with 1 operation' });
  expect(JSON.stringify(readings[0])).toContain(userOpHash);
  const unknown = await service.call('inspect.value', { value: `0x${'00'.repeat(32)}` });
  expect(unknown).toMatchObject({ readings: [{ what: 'hash' }], decisions: [] });
});
