import { passTo, withNode } from './odd-node.ts';
import type { RpcReply, SponsoredDapp, SponsoredWorld } from './sponsored-world.ts';

/** Asks about an operation while `change` happens, once, in the middle of the decision. */
export type Waiting = (
  dapp: SponsoredDapp,
  change: () => Promise<unknown>,
  op: Record<string, unknown>,
  options?: Record<string, unknown>,
) => Promise<RpcReply>;

/** The change happens while the node is first asked something: it answers that when the change is done. */
export const duringRequest =
  (
    world: () => SponsoredWorld,
    isIt: (method: string, body: string) => boolean,
    options: Record<string, unknown> = {},
  ): Waiting =>
  (dapp, change, op, asked = {}) => {
    const { chain, engine } = world();
    const { chainId } = chain;
    const proper = passTo(chain.url);
    let changed: Promise<unknown> | undefined;
    return withNode(
      (response, method, body) => {
        // The change may ask the node, too.
        const answer = (): void => proper(response, method, body);
        if (changed !== undefined || !isIt(method, body)) answer();
        else void (changed = change()).finally(answer);
      },
      async (rpc) => {
        await engine.service.call('chains.set', { chainId, rpc });
        try {
          const reply = await dapp.sponsor(op, { ...options, ...asked });
          await changed;
          return reply;
        } finally {
          await engine.service.call('chains.set', { chainId, rpc: chain.url });
        }
      },
    );
  };
