/** Structured logs: JSON lines on stderr. error = someone must act; warn = will become one; info = rare state change. */
import { pino, type Logger } from "pino";

export type Log = Logger;

export function createLog(options: { service: string; level?: string }): Log {
  const { service, level = process.env.NGPU_LOG_LEVEL ?? "info" } = options;
  const hooks = { streamWrite: withoutSecrets };
  return pino({ name: service, level, base: { service }, hooks }, pino.destination({ dest: 2, sync: true }));
}

/** RPC providers put their key into the path of the address, and viem's errors quote it: only the host is logged. */
function withoutSecrets(line: string): string {
  return line.replaceAll(/((?:https?|wss?):\/\/)(?:[^\s"'\\/@]*@)?([^\s"'\\/?#,)]+)[^\s"'\\,)]*/g, "$1$2");
}
