/**
 * A chain on loopback that lives as long as one dry run, under the chain id of the configuration, so that what is
 * signed and checked there is what the real chain will see. One block a transaction; time moves on request.
 */
import { chainOf, createChain } from "@ngpu/protocol/service/chain";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import type { HardhatRuntimeEnvironment } from "hardhat/types/hre";
import {
  createTestClient,
  createWalletClient,
  http,
  parseEther,
  type Abi,
  type Address,
  type Hex,
  type PublicClient,
  type TestClient,
  type TransactionReceipt,
} from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import hardhatConfig from "../../../hardhat.config.ts";
import { paths } from "../../stack/paths.ts";

export interface LocalChain {
  readonly hre: HardhatRuntimeEnvironment;
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly client: PublicClient;
  readonly control: TestClient;
  /** Coins for gas. */
  fund(account: Address): Promise<void>;
  /** Sends a call and waits for it, as an account with a key or, without one, in the name of any address. */
  send(call: {
    from: PrivateKeyAccount | Address;
    to: Address;
    abi: Abi;
    functionName: string;
    args: readonly unknown[];
    /** Wei of the chain's coin that go along. */
    value?: bigint;
  }): Promise<TransactionReceipt>;
  increaseTime(seconds: number): Promise<void>;
  close(): Promise<void>;
}

export async function startLocalChain({ chainId }: { chainId: number }): Promise<LocalChain> {
  const hre = await createHardhatRuntimeEnvironment(hardhatConfig, {}, paths.root);
  const server = await hre.network.createServer({ network: "default", override: { chainId } }, "127.0.0.1", 0);
  const { port } = await server.listen();
  const rpcUrl = `http://127.0.0.1:${port}`;
  const chain = chainOf(chainId, rpcUrl);
  const transport = http(rpcUrl);
  const client = await createChain({ rpcUrl, chainId });
  const control = createTestClient({ mode: "hardhat", chain, transport });
  const fund = (address: Address): Promise<void> => control.setBalance({ address, value: parseEther("1000") });
  return {
    hre,
    chainId,
    rpcUrl,
    client,
    control,
    fund,
    async send({ from, to, ...call }) {
      const address = typeof from === "string" ? from : from.address;
      await fund(address);
      if (typeof from === "string") await control.impersonateAccount({ address });
      const { request } = await client.simulateContract({ account: from, address: to, ...call });
      const hash: Hex = await createWalletClient({ account: from, chain, transport }).writeContract({
        ...request,
        account: from,
        chain,
      });
      return client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    },
    async increaseTime(seconds) {
      await control.increaseTime({ seconds });
      await control.mine({ blocks: 1 });
    },
    close: () => server.close(),
  };
}
