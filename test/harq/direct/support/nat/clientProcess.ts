/** A client at home: meets the node of its task, gives it a megabyte, and tells over what it went. */
import { privateKeyToAccount } from "viem/accounts";
import { connectPeer } from "../../../../harness/peer.ts";
import { meet } from "../meet.ts";
import { natInput, type NatTask } from "./natTask.ts";

const task = JSON.parse(process.argv[2]!) as NatTask;
const { gatewayUrl, context, taskId, nodeId } = task;
const clientKey = privateKeyToAccount(task.clientKey);
const client = await connectPeer({ gatewayUrl, who: { role: "client", taskId }, signer: clientKey, context });
const operator = privateKeyToAccount(task.operatorKey);
const { link, put } = await meet({ gatewayUrl, context, client }, { taskId, clientKey }, { nodeId, operator });
const startedMs = performance.now();
const opened = await link.opened;
const openedMs = Math.round(performance.now() - startedMs);
const answer = await put(task.inputCiphertext, natInput());
process.stdout.write(`${JSON.stringify({ opened, openedMs, isOpen: link.isOpen(), answer: answer.kind })}\n`);
link.close();
client.close();
