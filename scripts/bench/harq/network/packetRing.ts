/** Packets that wait for their time, first in, first out, in memory that is taken once. */
export interface PacketRing {
  /** Where the next packet is to be written; undefined when it is full. */
  slot(): Uint8Array | undefined;
  /** What was written there is a packet that is due then. */
  push(length: number, dueUs: number): void;
  /** When the first is due; Infinity when there is none. */
  nextUs(): number;
  /** Takes the first out; valid until `push` comes round. */
  shift(): Uint8Array;
}

const slotBytes = 1_536;

export function createPacketRing(capacity: number): PacketRing {
  const memory = Buffer.alloc(capacity * slotBytes);
  const slots = Array.from({ length: capacity }, (_, at) => memory.subarray(at * slotBytes, (at + 1) * slotBytes));
  const due = new Float64Array(capacity);
  const lengths = new Uint16Array(capacity);
  let head = 0;
  let tail = 0;
  return {
    slot: () => (tail - head < capacity ? slots[tail % capacity] : undefined),
    push(length, dueUs) {
      lengths[tail % capacity] = length;
      due[tail % capacity] = dueUs;
      tail += 1;
    },
    nextUs: () => (head === tail ? Infinity : (due[head % capacity] ?? Infinity)),
    shift() {
      const at = head % capacity;
      head += 1;
      return (slots[at] ?? memory).subarray(0, lengths[at]);
    },
  };
}
