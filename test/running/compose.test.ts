import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/engine/config/config.ts';
import { useTempFolders } from '../support/temp-folder.ts';
import { compose, desks, makeSecrets, read } from './compose-file.ts';

const root = join(import.meta.dirname, '../..');
const newFolder = useTempFolders();

describe('the compose file', () => {
  it('has three engines, each with a folder and a port of its own on this machine, which wait for the database', () => {
    expect(desks.length).toBe(3);
    expect(new Set(desks.map(([, { ports }]) => String(ports))).size).toBe(3);
    for (const [name, { build, ports, volumes, depends_on: dependsOn }] of desks) {
      expect(String(ports)).toMatch(/^127[.]0[.]0[.]1:\d+:8645$/);
      expect(volumes).toEqual([`${name}:/var/lib/gasdesk`]);
      expect(dependsOn).toEqual({ postgres: { condition: 'service_healthy' } });
      expect(existsSync(join(root, build?.context ?? '', build?.dockerfile ?? ''))).toBe(true);
    }
    expect(compose.services['postgres']?.healthcheck).toBeDefined();
  });

  it('declares what its services name, and nothing else', () => {
    const services = Object.values(compose.services);
    const named = services.flatMap(({ volumes }) => volumes.map((volume) => volume.split(':')[0]));
    expect(named.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
    for (const service of services) {
      const used = JSON.stringify([service.command, service.environment]).matchAll(/\/run\/secrets\/([\w-]+)/g);
      expect([...used].map(([, secret]) => secret).toSorted()).toEqual(service.secrets.toSorted());
    }
    expect([...new Set(services.flatMap(({ secrets }) => secrets))].toSorted()).toEqual(
      Object.keys(compose.secrets).toSorted(),
    );
  });

  it('holds no secret: they are files, which the document makes, and which are in neither the repository nor the image', () => {
    const folder = newFolder();
    makeSecrets(folder);
    const made = readdirSync(join(folder, 'secrets')).toSorted();
    expect(made).toEqual(Object.keys(compose.secrets).toSorted());
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`secrets/${name}`);
    expect(read('.gitignore').split('\n')).toContain('/secrets/');
    expect(read('.dockerignore')).not.toMatch(/^!secrets/m);
  });

  it.each(desks)('sets only what %s reads', (_name, { environment }) => {
    const { PGPASSFILE, ...settings } = environment;
    expect(PGPASSFILE).toBe('/run/secrets/pgpass');
    expect(Object.keys(settings)).toEqual(['GASDESK_DATABASE']);
    expect(loadConfig({ env: settings }).database?.reveal()).toBe('postgres://gasdesk@postgres/gasdesk');
  });
});
