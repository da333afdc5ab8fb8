/**
 * Metrics of one service, in one registry that is made where the process starts and handed to whoever measures. Names
 * follow Prometheus: `ngpu_<service>_<what>_<unit>`, counters end in `_total`.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export interface Telemetry {
  counter<L extends string>(metric: { name: string; help: string; labels?: readonly L[] }): Counter<L>;
  /** Read when it is asked for, so that it is never stale. */
  gauge(metric: { name: string; help: string; read: () => number }): void;
  histogram<L extends string>(metric: {
    name: string;
    help: string;
    labels?: readonly L[];
    /** Upper bounds, in the unit of the name. */
    buckets: number[];
  }): Histogram<L>;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
  contentType: string;
}

export function createTelemetry({ service }: { service: "gateway" | "keeper" | "agent" }): Telemetry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  // Memory, CPU, event-loop lag and open files of the process, read when they are asked for.
  collectDefaultMetrics({ register: registry });
  const named = (name: string): string => `ngpu_${service}_${name}`;
  const registers = [registry];

  return {
    counter: ({ name, help, labels = [] }) => new Counter({ name: named(name), help, labelNames: labels, registers }),
    gauge({ name, help, read }) {
      const gauge: Gauge = new Gauge({ name: named(name), help, registers, collect: () => gauge.set(read()) });
    },
    histogram: ({ name, help, labels = [], buckets }) =>
      new Histogram({ name: named(name), help, labelNames: labels, buckets, registers }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
