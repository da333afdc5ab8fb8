/** A virtual clock: what is due next happens next, in the order it was asked for where times are the same. */
export interface EventQueue {
  nowUs(): number;
  at(timeUs: number, act: () => void): void;
  /** False when nothing is left or the next thing is due after `untilUs`; the clock then stands at `untilUs`. */
  runNext(untilUs: number): boolean;
}

interface Event {
  readonly timeUs: number;
  readonly order: number;
  readonly act: () => void;
}

export function createEventQueue(): EventQueue {
  const heap: Event[] = [];
  let nowUs = 0;
  let order = 0;
  const isBefore = (one: Event, other: Event): boolean =>
    one.timeUs < other.timeUs || (one.timeUs === other.timeUs && one.order < other.order);
  const push = (event: Event): void => {
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  };
  const pop = (): Event => {
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  };
  return {
    nowUs: () => nowUs,
    at(timeUs, act) {
      push({ timeUs: Math.max(timeUs, nowUs), order: (order += 1), act });
    },
    runNext(untilUs) {
      const next = heap[0];
      if (next === undefined || next.timeUs > untilUs) {
        nowUs = Math.max(nowUs, untilUs);
        return false;
      }
      const { timeUs, act } = pop();
      nowUs = timeUs;
      act();
      return true;
    },
  };
}
