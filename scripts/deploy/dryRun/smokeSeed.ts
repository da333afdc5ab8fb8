/**
 * One epoch's seed on the deployment of a dry run: the open step of the VRF subscription is done, the selection asks
 * through the seed source, and the stand-in of the coordinator answers with the configured limit of gas.
 */
import { selectionAbi } from "@ngpu/protocol/generated/abi/selection";
import { parseAbi, zeroHash, type Abi } from "viem";
import type { Check } from "../checklist/check.ts";
import type { Configuration } from "../configuration/configuration.ts";
import type { Addresses } from "../deployModule.ts";
import type { LocalChain } from "./localChain.ts";
import { standInOwner } from "./standIns.ts";

const coordinatorAbi = parseAbi([
  "function addConsumer(uint256 subId, address consumer)",
  "function fundSubscription(uint256 subId, uint256 amount)",
  "function fundSubscriptionWithNative(uint256 subId) payable",
  "function fulfillRandomWords(uint256 requestId, address consumer)",
]) as Abi;
const enoughLink = 10n ** 24n;
const enoughWei = 10n ** 20n;

export async function smokeSeed(scene: {
  readonly chain: LocalChain;
  readonly configuration: Configuration;
  readonly addresses: Addresses;
}): Promise<Check> {
  const { chain, configuration, addresses } = scene;
  const { subscriptionId } = configuration.vrf;
  const from = standInOwner;
  const coordinator = { from, to: configuration.external.vrfCoordinator, abi: coordinatorAbi } as const;
  const selection = { address: addresses.selection, abi: selectionAbi } as const;
  const advance = { from, to: addresses.selection, abi: selectionAbi as Abi, functionName: "advance", args: [] };

  const consumer = [subscriptionId, addresses.seedSource];
  await chain.send({ ...coordinator, functionName: "addConsumer", args: consumer });
  const funding = configuration.vrf.nativePayment
    ? { functionName: "fundSubscriptionWithNative", args: [subscriptionId], value: enoughWei }
    : { functionName: "fundSubscription", args: [subscriptionId, enoughLink] };
  await chain.send({ ...coordinator, ...funding });
  await chain.increaseTime(configuration.selection.updateSeconds + 1);
  await chain.send(advance);
  const requestId = await chain.client.readContract({ ...selection, functionName: "requestId" });
  const answer = [requestId, addresses.seedSource];
  await chain.send({ ...coordinator, functionName: "fulfillRandomWords", args: answer });
  await chain.send(advance);
  const seed = await chain.client.readContract({ ...selection, functionName: "seed" });
  const what = "a seed asked for by the selection arrives";
  return { topic: "smoke", what, ok: seed !== zeroHash, found: seed, expected: "any but zero" };
}
