import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useConsoleBrowser } from '../support/console-page.ts';
import { seriousErrors } from './axe.ts';
import { useSeededConsole } from './seeded-console.ts';

const desk = useSeededConsole();
const browser = useConsoleBrowser();
const artifacts = join(import.meta.dirname, '../../test-artifacts');
const PASSPHRASE = 'something to remember';

describe.each([
  { width: 1280, height: 860 },
  { width: 800, height: 900 },
])('at $width px', ({ width, height }) => {
  test.each(['light', 'dark'] as const)(
    'an operator makes a backup and finds it again: %s',
    async (colorScheme) => {
      const page = await browser().open(desk().url, { width, height, colorScheme });
      await page.getByText('Engine running').waitFor();
      await page.evaluate(() => (window.location.hash = '#/settings'));
      const section = page.getByRole('region', { name: 'Backup', exact: true });
      const button = section.getByRole('button', { name: 'Back up now' });
      const [passphrase, again] = [
        section.getByLabel('Passphrase of the backup'),
        section.getByLabel('Confirm passphrase'),
      ];
      const before = (await desk().engine.service.call('backups.list', {})).backups.length;
      if (before === 0) await section.getByText('No backups yet').waitFor();

      await passphrase.fill(PASSPHRASE);
      await again.fill('something else');
      await section.getByText('The two entries do not match.').waitFor();
      expect(await button.isDisabled()).toBe(true);
      await section.screenshot({ path: join(artifacts, `console-backup-empty-${width}-${colorScheme}.png`) });

      await again.fill(PASSPHRASE);
      await section.getByLabel('File or folder').fill('not/absolute');
      await button.click();
      await section.getByText('file must be an absolute path').waitFor();
      await section.getByLabel('File or folder').fill('');
      await button.click();
      await section.getByText('Backup created:').waitFor();
      const { backups } = await desk().engine.service.call('backups.list', {});
      expect(backups).toHaveLength(before + 1);
      const path = backups[0]?.path ?? '';
      expect(existsSync(path)).toBe(true);
      expect(await seriousErrors(page)).toEqual([]);
      await section.getByRole('button', { name: 'Copy path of the backup' }).click();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(path);
      await section
        .getByRole('row')
        .nth(before + 1)
        .waitFor();
      expect(await passphrase.inputValue()).toBe('');
      await section.screenshot({ path: join(artifacts, `console-backup-${width}-${colorScheme}.png`) });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    },
    60_000,
  );
});
