import { passTo, withNode } from './odd-node.ts';
import type { RpcReply, SponsoredDapp } from './engine.ts';
import type { SponsoredWorld } from './sponsored-world.ts';

/** Requests an operation while `change` happens, once, in the middle of the decision. */
export type WaitOptions = (
  dapp: SponsoredDapp,
  change: () => Promise<unknown>,
  op: Record<string, unknown>,
  options?: Record<string, unknown>,
) => Promise<RpcReply>;

/** The change happens during the first matching request to the node, which answers after the change. */
export const duringRequest =
  (
    world: () => SponsoredWorld,
    isIt: (method: string, body: string) => boolean,
    options: Record<string, unknown> = {},
  ): WaitOptions =>
  (dapp, change, op, asked = {}) => {
    const { chain, engine } = world();
    const { chainId } = chain;
    const proper = passTo(chain.url);
    let changed: Promise<unknown> | undefined;
    return withNode(
      (response, method, body) => {
        // The change itself may send requests to the node.
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
