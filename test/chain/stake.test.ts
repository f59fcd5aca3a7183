import { parseEther, toQuantity } from 'ethers';
import { expect, test } from 'vitest';
import { useOperatorDesk } from '../support/operator-desk.ts';

const desk = useOperatorDesk();
const DAY = 86_400;
const TO = `0x${'77'.repeat(20)}` as const;

test.each(['verifying-0.6', '1.1.0'])(
  'the owner of %s stakes, unlocks, waits and gets the stake back',
  async (version) => {
    await desk().attach(version);
    const { operator, chain } = desk();
    const target = { chainId: chain.chainId, version };
    const reputation = () => desk().engine().service.call('reputation.get', target);
    expect(await reputation()).toMatchObject({ stakeWei: '0', isStaked: false, status: 'good', bundlers: [] });
    const unlock = { kind: 'unlockStake', ...target } as const;
    await expect(desk().prepare(unlock, operator)).rejects.toMatchObject({ code: 'TRANSACTION_WOULD_FAIL' });

    const amountWei = String(parseEther('2'));
    const stranger = await desk().rich();
    await expect(desk().prepare({ kind: 'addStake', ...target, amountWei }, stranger)).rejects.toMatchObject({
      code: 'TRANSACTION_WOULD_FAIL',
      message: expect.stringContaining('owner'),
    });
    const staked = await desk().send({ kind: 'addStake', ...target, amountWei }, operator);
    expect(await desk().now(staked)).toMatchObject({ state: 'mined', outcome: 'The stake is at the EntryPoint.' });
    expect(await reputation()).toMatchObject({ stakeWei: amountWei, isStaked: true, unstakeDelaySec: DAY });

    const withdraw = { kind: 'withdrawStake', ...target, to: TO } as const;
    await expect(desk().prepare(withdraw, operator)).rejects.toMatchObject({
      message: expect.stringContaining('Unlock the stake'),
    });
    await desk().send(unlock, operator);
    expect(await reputation()).toMatchObject({ isStaked: false, withdrawableAt: expect.any(Number) });
    await expect(desk().prepare(withdraw, operator)).rejects.toMatchObject({ code: 'TRANSACTION_WOULD_FAIL' });
    await chain.provider.send('evm_increaseTime', [toQuantity(DAY + 1)]);
    await chain.provider.send('anvil_mine', ['0x1']);
    const before = await chain.provider.getBalance(TO);
    await desk().send(withdraw, operator);
    expect(await chain.provider.getBalance(TO)).toBe(before + parseEther('2'));
    expect(await reputation()).toMatchObject({ stakeWei: '0', withdrawableAt: null });
  },
);
