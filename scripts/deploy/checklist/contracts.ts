/**
 * Where each contract is, how large it is and what it cost, and that the code which was sent is the one that is
 * compiled here; the seed source's arguments are compared too, because it answers none of them.
 */
import type { ArtifactManager } from "hardhat/types/artifacts";
import { encodeAbiParameters, isAddressEqual, parseAbiParameters, size, type Address, type Hex } from "viem";
import type { Contract } from "../deployModule.ts";
import { checkEqual, type Check } from "./check.ts";
import type { Subject } from "./subject.ts";

export interface ContractRow {
  readonly name: string;
  readonly address: Address;
  readonly sizeBytes: number;
  readonly gas: bigint;
  readonly costWei: bigint;
}

/** EIP-170. */
const SIZE_LIMIT_BYTES = 24_576;

export async function examineContracts(
  { chain, configuration, addresses, transactions, receipts }: Subject,
  artifacts: ArtifactManager,
): Promise<{ rows: ContractRow[]; checks: Check[] }> {
  const rows: ContractRow[] = [];
  const checks: Check[] = [];
  for (const [name, address] of Object.entries(addresses) as [Contract, Address][]) {
    const index = receipts.findIndex(
      ({ contractAddress }) => contractAddress && isAddressEqual(contractAddress, address),
    );
    const creation = transactions[index];
    if (creation === undefined) {
      checks.push(checkEqual("code", `${name} was created by this deployment`, "no transaction of it", "one"));
      continue;
    }
    const code = await chain.getCode({ address });
    const sizeBytes = code === undefined ? 0 : size(code);
    const gas = receipts[index]?.gasUsed ?? 0n;
    rows.push({ name, address, sizeBytes, gas, costWei: gas * configuration.gasPriceWei });
    const fits = sizeBytes > 0 && sizeBytes <= SIZE_LIMIT_BYTES;
    const limit = `1 to ${SIZE_LIMIT_BYTES} bytes`;
    checks.push({ topic: "code", what: `size of ${name}`, ok: fits, found: `${sizeBytes} bytes`, expected: limit });
    const { input } = await chain.getTransaction({ hash: creation.hash });
    const { bytecode } = await artifacts.readArtifact(creation.name);
    const isOurs = input.startsWith(bytecode);
    const found = isOurs ? "it is" : "another code";
    const what = `${name} is the compiled ${creation.name}`;
    checks.push({ topic: "code", what, ok: isOurs, found, expected: "it is" });
    if (name === "seedSource") {
      const given: Hex = `0x${input.slice(bytecode.length)}`;
      const expected = seedArguments(configuration);
      checks.push(checkEqual("values", "what seedSource asks the coordinator for", given, expected));
    }
  }
  return { rows, checks };
}

function seedArguments({ external, vrf }: Subject["configuration"]): Hex {
  return encodeAbiParameters(parseAbiParameters("address, (bytes32, uint256, uint16, uint32, bool)"), [
    external.vrfCoordinator,
    [vrf.keyHash, vrf.subscriptionId, vrf.requestConfirmations, vrf.callbackGasLimit, vrf.nativePayment],
  ]);
}
