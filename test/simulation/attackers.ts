import type { Draw } from '../support/draw.ts';
import { type Fields, askForSponsorship, draft } from './clients.ts';
import type { Dapp, World } from './world.ts';

/** About as long as a signature is valid, ms. */
const VALID_MS = 300_000;

/** Nonce keys above those of clients. */
const FIRST_KEY = 16;

/**
 * Asks more than once for what can be mined once: the same operation again and of other DApps, or others in its place.
 * Gives them to the bundler as late as possible, or never.
 */
export const attack = async (world: World, draw: Draw): Promise<void> => {
  if (!world.desk.isUp) return;
  const dapp = draw.pick(world.dapps);
  // No one else uses its nonce meanwhile.
  const fields = {
    ...draft(world, draw, dapp),
    nonce: `0x${(BigInt(FIRST_KEY + draw.below(2 ** 20)) << 64n).toString(16)}`,
  };
  const victims = world.dapps.filter(({ version }) => version === dapp.version);
  const isSame = draw.chance(60);
  const other = (): Fields => ({ ...fields, callGasLimit: String(draw.between(20, 70) * 1_000) });
  const ask = (victim: Dapp): Promise<void> => {
    const sendAt = draw.chance(30) ? Infinity : world.time.now + draw.between(0, draw.pick([VALID_MS / 10, VALID_MS]));
    return askForSponsorship(world, draw, { dapp: victim, fields: isSame ? fields : other(), sendAt });
  };
  world.count(`attacks: ${isSame ? 'the same operation' : 'replaced operations'}`);
  await Promise.all(Array.from({ length: draw.between(2, 6) }, () => ask(draw.pick(victims))));
};
