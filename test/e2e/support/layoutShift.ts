/** What a page moved after it had been drawn, as browsers measure it; what a person caused does not count. */
import type { BrowserContext, Page } from "playwright-core";

interface Shift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Node | null }[];
}

type Watched = Window & { ngpuShifts?: { value: number; what: string }[] };

export interface LayoutShift {
  score: number;
  /** The beginning of what moved most. */
  what: string;
}

/** For every page that the context opens from now on. */
export async function watchLayout(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const shifts: { value: number; what: string }[] = [];
    (window as Watched).ngpuShifts = shifts;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Shift[]) {
        const node = sources[0]?.node;
        const what = node instanceof Element ? node.outerHTML : (node?.textContent ?? "");
        if (!hadRecentInput) shifts.push({ value, what: what.slice(0, 120) });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

/** Since the page was loaded. */
export async function layoutShiftOf(page: Page): Promise<LayoutShift> {
  const shifts = await page.evaluate(() => (window as Watched).ngpuShifts ?? []);
  const score = shifts.reduce((sum, { value }) => sum + value, 0);
  const [worst] = [...shifts].sort((a, b) => b.value - a.value);
  return { score, what: worst?.what ?? "" };
}
