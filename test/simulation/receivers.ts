import type { IncomingMessage, ServerResponse } from 'node:http';
import { HOSTS, type World } from './world.ts';
import { bodyOf } from './wires.ts';

/** Puts receivers of webhooks and events, and a bundler that estimates gas, into the internet. */
export const openReceivers = (world: World): void => {
  const { internet, time } = world;
  const draw = world.draw.part('receivers');
  /** Percent of calls that go wrong. */
  const faults = { webhook: draw.pick([0, 20, 60]), events: draw.pick([0, 10, 40]) };

  const approve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await bodyOf(request);
    const askedAt = time.awake;
    const decisionId = String(request.headers['webhook-id']);
    const ms = draw.chance(faults.webhook) ? draw.pick([10, 2_900, 3_100, 20_000]) : draw.between(1, 300);
    await time.pass(ms);
    const isWrong = draw.chance(faults.webhook);
    const body = isWrong
      ? draw.pick(['{"arePoliciesVerified":false}', '', '<html>', '[true]', '{"arePoliciesVerified":"true"}'])
      : '{"arePoliciesVerified":true}';
    response.statusCode = isWrong && draw.chance(30) ? 500 : 200;
    world.count(`webhook calls: ${isWrong ? 'wrong' : ms > 3_000 ? 'late' : 'agreed'}`);
    if (isWrong && draw.chance(20)) {
      response.destroy();
      return;
    }
    if (!isWrong && time.awake - askedAt <= 3_000) world.agreed.add(decisionId);
    response.end(body);
  };

  const receiveEvent = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await bodyOf(request);
    await time.pass(draw.between(1, 100));
    const { type, data } = JSON.parse(text) as { type: string; data: { id?: string } };
    if (draw.chance(world.isCalm ? 0 : faults.events)) {
      world.refused.add(data.id ?? '');
      world.count('events refused');
      if (draw.chance(30)) response.destroy();
      else response.writeHead(503).end();
      return;
    }
    const id = String(request.headers['webhook-id']);
    if (!world.events.some((one) => one.id === id)) {
      world.events.push({ id, type, decisionId: data.id ?? '' });
      world.count('events received');
    } else world.count('events received again');
    // The answer may be lost: the event then comes again.
    const isLost = !world.isCalm && draw.chance(faults.events / 2);
    if (isLost) world.refused.add(data.id ?? '');
    if (isLost) response.destroy();
    else response.writeHead(204).end();
  };

  internet.serve(HOSTS.webhook, (request, response) => world.run('webhook', approve(request, response)));
  internet.serve(HOSTS.events, (request, response) => world.run('events', receiveEvent(request, response)));
};
