/**
 * An agent of a version of NGPU whose catalogue lists the models of NGPU_TEST_MODELS too, as if somebody had published
 * them; everything else is the agent as it is.
 */
import { readFileSync } from "node:fs";
import { catalogue } from "@ngpu/protocol/catalogue";
import { readText } from "@ngpu/protocol/service/settings";

const entries = JSON.parse(readFileSync(readText(process.env, "NGPU_TEST_MODELS"), "utf8")) as typeof catalogue;
(catalogue as (typeof catalogue)[number][]).push(...entries);
await import("../../../node-agent/bin/agent.ts");
