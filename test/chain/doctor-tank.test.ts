import { expect, test } from 'vitest';
import { RESERVED_WEI } from '../support/operations.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const world = useSponsoredWorld();

test('doctor names the DApp whose gas tank is empty, and the command that fills it; that is no error', async () => {
  const { paymasterId } = await world().dapp(0n);
  await world().dapp(RESERVED_WEI);
  const { service } = world().engine;
  const dapps = await service.call('paymasters.list', {});
  const { ok, checks } = await service.call('system.doctor', {});
  expect(ok).toBe(true);
  expect(checks.filter(({ name }) => name.startsWith('DApp '))).toEqual([
    {
      name: `DApp ${dapps.find((dapp) => dapp.paymasterId === paymasterId)!.name}`,
      ok: true,
      detail: 'Its gas tank is empty: nothing is sponsored',
      fix: `Deposit in the console, or with "gasdesk tank deposit --dapp ${paymasterId} --amount AMOUNT --from-key-file FILE".`,
    },
  ]);
});
