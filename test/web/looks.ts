/** What every page must be in every width: accessible, and no wider than the window. */
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export async function assertAccessible(page: Page, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(TAGS).analyze();
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
  assert.deepEqual(found, [], where);
}

export async function assertFits(page: Page, where: string): Promise<void> {
  const { wide, room } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    room: innerWidth,
  }));
  assert.ok(wide <= room, `${where} scrolls sideways: ${wide} in ${room}`);
}
