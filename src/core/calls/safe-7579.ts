import type { AccountCall, AccountDecoder } from './account-call.ts';
import { DecodeError } from './decode-error.ts';
import { erc7579 } from './erc-7579.ts';
import { isSetUp } from './set-up.ts';

/**
 * The first operation of a Safe7579 (Safe7579Launchpad.setupSafe):
 * `(address singleton, address[] owners, uint256 threshold, address setupTo, bytes setupData, address safe7579, (address,bytes)[] validators, bytes callData)`.
 * The account delegatecalls `setupTo`, and the adapter then executes `callData`. Installing modules does not count as a
 * call.
 */
const setupSafe: AccountDecoder = (args, sender) => {
  const init = args.tail(0);
  const setup: AccountCall = { target: init.address(96), value: 0n, data: init.bytes(128), operation: 'delegatecall' };
  const callData = init.bytes(224);
  const execute = callData.length < 4 ? undefined : erc7579[callData.slice(0, 4).hex()];
  if (execute === undefined) {
    throw new DecodeError('UNKNOWN_SELECTOR', 'What a new Safe7579 runs first is not its execute.');
  }
  return [...(isSetUp(setup.target, setup.data) ? [] : [setup]), ...execute(callData.slice(4), sender)];
};

/** The launchpad function that Safe7579 has in addition to {@link erc7579}, by selector. */
export const safe7579: Readonly<Record<string, AccountDecoder>> = {
  // setupSafe((address,address[],uint256,address,bytes,address,(address,bytes)[],bytes))
  '0xd9ed0e8f': setupSafe,
};
