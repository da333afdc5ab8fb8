/**
 * Which message sends next. Within interactive messages and within the others, weighted deficit round robin;
 * interactive ones first, but a tenth of what is sent is kept for the others while they have something.
 */
import { weightOf, type Priority } from "./priority.ts";

export interface Schedulable {
  readonly priority: Priority;
  hasNext(): boolean;
}

export interface Scheduler<Item extends Schedulable> {
  add(item: Item): void;
  remove(item: Item): void;
  /** Whoever of those that may sends next; `sent` must follow if it did. Undefined when nobody has anything. */
  pick(may: (item: Item) => boolean): Item | undefined;
  sent(item: Item, bytes: number): void;
}

const quantumBytes = 4_608;
/** Interactive bytes for each byte that the others keep. */
const keptOfTen = 9;
const mostOwedBytes = 65_536;

export function createScheduler<Item extends Schedulable>(): Scheduler<Item> {
  const interactive = createRing<Item>();
  const others = createRing<Item>();
  let owedBytes = 0;
  let oneTurnBytes = 0;
  const ringOf = (item: Item): Scheduler<Item> => (item.priority === "interactive" ? interactive : others);
  return {
    add: (item) => ringOf(item).add(item),
    remove: (item) => ringOf(item).remove(item),
    pick(may) {
      const other = others.pick(may);
      if (other !== undefined && owedBytes >= oneTurnBytes) return other;
      return interactive.pick(may) ?? other;
    },
    sent(item, bytes) {
      ringOf(item).sent(item, bytes);
      if (item.priority !== "interactive" || oneTurnBytes === 0) oneTurnBytes = bytes;
      const owed = item.priority === "interactive" ? owedBytes + bytes / keptOfTen : owedBytes - bytes;
      owedBytes = Math.max(0, Math.min(mostOwedBytes, owed));
    },
  };
}

/** One class of messages, by weight alone. */
function createRing<Item extends Schedulable>(): Scheduler<Item> {
  const items: Item[] = [];
  const allowance = new Map<Item, number>();
  let at = 0;
  return {
    add(item) {
      items.push(item);
      allowance.set(item, 0);
    },
    remove(item) {
      const index = items.indexOf(item);
      if (index === -1) return;
      items.splice(index, 1);
      allowance.delete(item);
      if (index < at) at -= 1;
    },
    pick(may) {
      for (let visited = 0; visited < 2 * items.length; visited += 1) {
        const item = items[at % items.length]!;
        if (item.hasNext() && may(item)) {
          if (allowance.get(item)! > 0) return item;
          allowance.set(item, allowance.get(item)! + quantumBytes * weightOf[item.priority]);
          if (items.length === 1 || visited >= items.length) return item;
        } else {
          allowance.set(item, 0);
        }
        at = (at + 1) % items.length;
      }
      return undefined;
    },
    sent(item, bytes) {
      const left = (allowance.get(item) ?? 0) - bytes;
      allowance.set(item, left);
      if (left <= 0 && items[at % items.length] === item) at = (at + 1) % items.length;
    },
  };
}
