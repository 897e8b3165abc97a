/** What every page must be in every size: without a violation that axe finds, and no wider than the window. */
import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

export async function assertAccessible(page: Page, where: string): Promise<void> {
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).withTags(tags).analyze();
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
