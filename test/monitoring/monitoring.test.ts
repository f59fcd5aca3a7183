import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { gameCall } from '../../src/demo/game-items.ts';
import { operation } from '../support/operations.ts';
import { startEngine, withDataFolder } from '../support/engine.ts';
import { useSponsoredWorld } from '../support/sponsored-world.ts';

const TOKEN = 'a token for Prometheus alone';
const metricsToken = TOKEN.replaceAll(' ', '-');
const world = useSponsoredWorld({ metricsToken });

const ETHER = 10n ** 18n;
const get = (path: string, headers: Record<string, string> = {}, url = world().engine.url) =>
  fetch(url + path, { headers });
const metrics = async (): Promise<string> => (await get('/metrics')).text();

/** The sample lines of a metric. */
const samples = (text: string, name: string): string[] =>
  text.split('\n').filter((line) => line.startsWith(`${name}{`));

describe('the metrics', () => {
  test('count what was decided, asked of nodes and reserved, by small sets of labels', async () => {
    const { contracts, engine, chain } = world();
    const dapp = await world().dapp(ETHER);
    await world().registerGameItems(dapp);
    // Other tests ask this desk, too.
    const answered = async (): Promise<number> => {
      const name = 'gasdesk_sponsorship_duration_seconds_count';
      const labels = '{procedure="sponsorship.sponsor",answered="result"} ';
      const line = samples(await (await get('/metrics')).text(), name).find((one) =>
        one.startsWith(`${name}${labels}`),
      );
      return Number(line?.split(' ')[1] ?? 0);
    };
    const before = await answered();
    const mint = operation(gameCall({ contracts }, 'mint', 1n));
    expect((await dapp.sponsor(mint)).body.result?.paymasterAndData).not.toBe('0x');
    const elsewhere = operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' });
    expect((await dapp.sponsor({ ...elsewhere, nonce: '0x1' })).body.result?.paymasterAndData).toBe('0x');
    await engine.service.call('exposure.get', {});

    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const text = await response.text();
    const labels = `chain="${chain.chainId}",dapp="${dapp.paymasterId}"`;
    expect(text).toContain(`gasdesk_decisions_total{outcome="sponsored",rule="",${labels}} 1`);
    expect(text).toContain(`gasdesk_decisions_total{outcome="denied",rule="contracts",${labels}} 1`);
    expect(await answered()).toBe(before + 2);
    expect(text).toContain(`gasdesk_rpc_calls_total{chain="${chain.chainId}",target="node",outcome="result"}`);
    expect(text).toContain(`gasdesk_reserved_operations{${labels}} 1`);
    const [reserved = ''] = samples(text, 'gasdesk_reserved_wei');
    expect(Number(reserved.split(' ')[1])).toBeGreaterThan(0);
    const entries = Number(/^gasdesk_log_entries (\d+)$/m.exec(text)?.[1]);
    expect(entries).toBeGreaterThan(2);
  });

  test('know the tanks from the look that the desk takes by itself', async () => {
    const dapp = await world().dapp(2n * ETHER);
    await world().clock.advance(60_000);
    const ownTank = async () =>
      samples(await metrics(), 'gasdesk_tank_balance_wei').find((line) => line.includes(dapp.paymasterId));
    await expect.poll(ownTank).toMatch(/ 2000000000000000000$/);
  });

  test('name no address, no key and nothing that was sent', async () => {
    const { engine } = world();
    const dapp = await world().dapp(0n);
    const stranger = 'nobody-has-this-key';
    await engine.post(`/api/v2/31337/${stranger}`, { jsonrpc: '2.0', id: 1, method: 'pm_chainId', params: [] });
    await dapp.sponsor({ sender: 'nonsense' });
    const text = await metrics();
    expect(text).not.toMatch(/0x[0-9a-f]{8}/i);
    for (const told of [dapp.apiKey, stranger, 'nonsense', metricsToken]) {
      expect(text).not.toContain(told);
    }
  });

  test('are for this machine, and for holders of their token', async () => {
    const elsewhere = { 'x-forwarded-for': '203.0.113.7' };
    expect((await get('/metrics')).status).toBe(200);
    const bearers = [undefined, 'Bearer ', 'Bearer wrong', metricsToken, `Bearer ${metricsToken}x`];
    for (const authorization of bearers) {
      const response = await get('/metrics', { ...elsewhere, ...(authorization !== undefined && { authorization }) });
      expect(response.status, authorization).toBe(401);
      const { message } = (await response.json()) as { message: string };
      expect(message).toContain('metricsToken');
      expect(message).not.toContain(metricsToken);
    }
    expect((await get('/metrics', { ...elsewhere, authorization: `Bearer ${metricsToken}` })).status).toBe(200);
  });

  test('are for no other machine without a token for them', () =>
    withDataFolder(async (dir) => {
      const engine = await startEngine({ dir });
      const headers = { forwarded: 'for=203.0.113.7', authorization: 'Bearer ' };
      expect((await get('/metrics', headers, engine.url)).status).toBe(401);
      await engine.stop();
    }));

  test('the token is shown by no list of settings', async () => {
    const { settings } = await world().engine.service.call('config.get', {});
    expect(settings.find(({ key }) => key === 'metricsToken')).toMatchObject({ value: '[secret]', change: 'no' });
    expect(JSON.stringify(settings)).not.toContain(metricsToken);
  });
});

describe('the dashboard', () => {
  interface Dashboard {
    panels: { title: string; targets: { expr: string }[] }[];
  }
  const dashboard = JSON.parse(
    readFileSync(new URL('../../resources/grafana-dashboard.json', import.meta.url), 'utf8'),
  ) as Dashboard;
  const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const named = new Set(expressions.flatMap((expr) => expr.match(/\b(?:gasdesk|process|nodejs)_[a-z0-9_]+/g) ?? []));

  test('has panels of metrics that exist, and of each of the desk', async () => {
    const text = await metrics();
    const exposed = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`] : [name],
    );
    expect(named.size).toBeGreaterThan(10);
    expect([...named].filter((name) => !exposed.includes(name))).toEqual([]);
    const own = exposed.filter((name) => name.startsWith('gasdesk_'));
    expect(own.filter((name) => !named.has(name))).toEqual([]);
  });

  test('asks for labels that the metrics have', async () => {
    const dapp = await world().dapp(0n);
    await dapp.sponsor(operation({ to: `0x${'11'.repeat(20)}`, data: '0x12345678' }));
    const text = await metrics();
    const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label));
    const asked = expressions.flatMap((expr) => [
      ...[...expr.matchAll(/by \(([\w, ]+)\)/g)].flatMap(([, list = '']) => list.split(', ')),
      ...[...expr.matchAll(/[{ ](\w+)=~?"/g)].map(([, label]) => label),
    ]);
    // Prometheus itself says which instance it asked.
    expect([...new Set(asked)].filter((label) => label !== 'instance' && !labels.has(label))).toEqual(['code']);
  });
});

describe('health', () => {
  test('the process answers, and the desk can decide', async () => {
    const health = await get('/healthz');
    expect([health.status, await health.json()]).toEqual([200, { ok: true }]);
    const ready = await get('/readyz');
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true, missing: [] }]);
  });

  test('says in plain words what is missing', () =>
    withDataFolder(async (dir) => {
      const engine = await startEngine({ dir, locked: true });
      const ready = await get('/readyz', {}, engine.url);
      const missing = ['The vault is locked: nothing can be signed until you unlock it.'];
      expect([ready.status, await ready.json()]).toEqual([503, { ready: false, missing }]);
      expect((await get('/healthz', {}, engine.url)).status).toBe(200);
      await engine.stop();
    }));
});
