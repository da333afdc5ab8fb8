/** A node at home: dials the gateway and can be met. */
import { privateKeyToAccount } from "viem/accounts";
import { startMeetingNode } from "../meetingNode.ts";
import type { NatTask } from "./natTask.ts";

const task = JSON.parse(process.argv[2]!) as NatTask;
const { clientKey, operatorKey, ...place } = task;
const node = await startMeetingNode({ ...place, operator: privateKeyToAccount(operatorKey) });
node.serves({ ...place, clientKey: privateKeyToAccount(clientKey).address });
process.stdout.write("{}\n");
process.stdin.resume().once("end", () => void node.close());
