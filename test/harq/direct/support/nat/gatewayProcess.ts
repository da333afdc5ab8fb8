/** A chain and a gateway in a namespace, with a node registered and a task assigned to it; told on standard output. */
import { createTelemetry } from "@ngpu/protocol/service/telemetry";
import { createInterface } from "node:readline";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startTestChain } from "../../../../harness/chain.ts";
import { registerNode } from "../../../../harness/nodes.ts";
import { startTestGateway } from "../../../../harness/services.ts";
import { assignTask, postTask } from "../../../../harness/tasks.ts";
import { gatewayAddress } from "./natNetwork.ts";
import { natInput, type NatTask } from "./natTask.ts";

const port = 8_600;

const chain = await startTestChain();
const telemetry = createTelemetry({ service: "gateway" });
const publicUrl = `http://${gatewayAddress}:${port}`;
const gateway = await startTestGateway(chain, {
  ...{ telemetry, host: "0.0.0.0", port, publicUrl },
  udp: { host: "0.0.0.0", port },
});
const [operatorKey, clientKey] = [generatePrivateKey(), generatePrivateKey()];
const { nodeId } = await registerNode(chain, { operator: privateKeyToAccount(operatorKey) });
const sealedInput = natInput();
const posted = await postTask(chain, { sealedInput, backups: 0, clientKey: privateKeyToAccount(clientKey) });
await assignTask(chain, { taskId: posted.taskId, nodeIds: [nodeId] });
const { taskId, inputCiphertext } = posted;
const context = { chainId: chain.chainId, verifyingContract: chain.deployment.taskEscrow };
const task: NatTask = { gatewayUrl: gateway.url, context, nodeId, operatorKey, clientKey, taskId, inputCiphertext };
process.stdout.write(`${JSON.stringify(task)}\n`);

const orders = createInterface({ input: process.stdin });
orders.on("line", () => {
  void telemetry.text().then((text) => {
    const relayedBytes = Number(/^ngpu_gateway_relayed_bytes\{[^}]*\} (\d+)$/m.exec(text)?.[1]);
    process.stdout.write(`${JSON.stringify({ relayedBytes })}\n`);
  });
});
orders.on("close", () => void gateway.close().then(() => chain.close()));
