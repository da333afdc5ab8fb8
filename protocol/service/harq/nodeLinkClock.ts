/**
 * A link's clock in Node. Timers there have a resolution of a millisecond, which is dozens of packets: what is due
 * sooner is asked for in every turn of the event loop, which goes on reading sockets and firing timers meanwhile.
 */
import type { LinkClock } from "./linkClock.ts";

const finestTimerUs = 1_000;

const nowUs = (): number => performance.now() * 1_000;

export const nodeLinkClock: LinkClock = {
  nowUs,
  after(us, call) {
    if (us >= finestTimerUs) {
      const timer = setTimeout(call, Math.floor(us / 1_000));
      return () => clearTimeout(timer);
    }
    const dueUs = nowUs() + us;
    let turn = setImmediate(look);
    function look(): void {
      if (nowUs() >= dueUs) call();
      else turn = setImmediate(look);
    }
    return () => clearImmediate(turn);
  },
  soon: (call) => void setImmediate(call),
};
