/**
 * The calls of Linux that Node does not offer: namespaces, devices, timers in microseconds and the congestion control
 * of a socket. Where the library for foreign functions or Linux is missing, importing this fails.
 */
import koffi from "koffi";

const libc = koffi.load("libc.so.6");

/** Numbers as the kernel's headers have them. */
export const constants = {
  readOnly: 0,
  readWrite: 2,
  nonBlocking: 0o4000,
  closeOnExec: 0o2000000,
  newNetwork: 0x4000_0000,
  monotonic: 1,
  deathSignal: 1,
  kill: 9,
  internet: 2,
  datagram: 2,
  protocolTcp: 6,
  tcpCongestion: 13,
  roundRobin: 2,
} as const;

type Call<Arguments extends unknown[]> = (...given: Arguments) => number;

const raw = {
  open: libc.func("int open(const char *path, int flags)") as Call<[string, number]>,
  close: libc.func("int close(int fd)") as Call<[number]>,
  read: libc.func("long read(int fd, void *into, size_t length)") as Call<[number, Uint8Array, number]>,
  write: libc.func("long write(int fd, const void *from, size_t length)") as Call<[number, Uint8Array, number]>,
  ioctl: libc.func("int ioctl(int fd, unsigned long request, void *argument)") as Call<[number, number, Uint8Array]>,
  unshare: libc.func("int unshare(int flags)") as Call<[number]>,
  setns: libc.func("int setns(int fd, int kind)") as Call<[number, number]>,
  prctl: libc.func("int prctl(int option, unsigned long value)") as Call<[number, number]>,
  socket: libc.func("int socket(int domain, int type, int protocol)") as Call<[number, number, number]>,
  timerfdCreate: libc.func("int timerfd_create(int clock, int flags)") as Call<[number, number]>,
  timerfdSettime: libc.func("int timerfd_settime(int fd, int flags, const void *value, void *old)") as Call<
    [number, number, Uint8Array, null]
  >,
  schedSetscheduler: libc.func("int sched_setscheduler(int pid, int policy, const void *parameters)") as Call<
    [number, number, Uint8Array]
  >,
  setsockopt: libc.func("int setsockopt(int fd, int level, int name, const void *value, int length)") as Call<
    [number, number, number, Uint8Array, number]
  >,
};

/** A call that failed; `code` is the name of the kernel's error. */
export class SystemError extends Error {
  readonly code: string;
  constructor(call: string, errno: number) {
    const code = Object.entries(koffi.os.errno).find(([, value]) => value === errno)?.[0] ?? String(errno);
    super(`${call} failed: ${code}`);
    this.name = "SystemError";
    this.code = code;
  }
}

function checked<Name extends keyof typeof raw>(name: Name): (typeof raw)[Name] {
  const call = raw[name] as Call<unknown[]>;
  return ((...given: unknown[]) => {
    const result = call(...given);
    if (result < 0) throw new SystemError(name, koffi.errno());
    return result;
  }) as (typeof raw)[Name];
}

/** Throw a `SystemError` where the kernel refuses; `readNow` and `writeNow` return a negative number instead. */
export const system = {
  open: checked("open"),
  close: checked("close"),
  ioctl: checked("ioctl"),
  unshare: checked("unshare"),
  setns: checked("setns"),
  prctl: checked("prctl"),
  socket: checked("socket"),
  timerfdCreate: checked("timerfdCreate"),
  timerfdSettime: checked("timerfdSettime"),
  setsockopt: checked("setsockopt"),
  schedSetscheduler: checked("schedSetscheduler"),
  readNow: raw.read,
  writeNow: raw.write,
  /** Calls back while the descriptor can be read, until the process ends. */
  whenReadable(fd: number, call: () => void): void {
    watched.push(koffi.node.poll(fd, { readable: true }, call));
  },
};

/** A watch that nobody holds is collected, and says nothing any more. */
const watched: unknown[] = [];
