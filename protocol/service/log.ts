/** Structured logs: JSON lines on stderr. error = someone must act; warn = will become one; info = rare state change. */
import { pino, type Logger } from "pino";

export type Log = Logger;

export function createLog(options: { service: string; level?: string }): Log {
  const { service, level = process.env.NGPU_LOG_LEVEL ?? "info" } = options;
  return pino({ name: service, level, base: { service } }, pino.destination({ dest: 2, sync: true }));
}
