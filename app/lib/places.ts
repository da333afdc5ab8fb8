/** The pages of the dApp, in the order of the navigation. */
import type { Place } from "./findTarget.ts";

export const places: readonly Place[] = [
  { href: "/", title: "Overview" },
  { href: "/models", title: "Models" },
  { href: "/post", title: "Post" },
  { href: "/tasks", title: "Tasks" },
  { href: "/sessions", title: "Sessions" },
  { href: "/billing", title: "Billing" },
  { href: "/nodes", title: "Nodes" },
  { href: "/earn", title: "Earn" },
];
