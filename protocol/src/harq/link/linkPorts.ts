/** What a link needs of its platform: a code, a hash, randomness, congestion control and a clock. */
import type { ConnectionOptions } from "../connection/connectionState.ts";
import type { LinkClock } from "./linkClock.ts";

export type LinkPorts = Omit<ConnectionOptions, "protection"> & { readonly clock: LinkClock };
