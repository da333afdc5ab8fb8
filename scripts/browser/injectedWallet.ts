/**
 * A wallet for a driven browser: announced by EIP-6963 like any extension, its keys stay in this process, and whoever
 * drives the browser decides what it agrees to. It asks nobody, so it is for accounts of the local chain.
 */
import type { BrowserContext } from "playwright-core";
import {
  BaseError,
  createWalletClient,
  http,
  isHex,
  numberToHex,
  publicActions,
  RpcError,
  type Hex,
  type LocalAccount,
  type TypedDataDefinition,
} from "viem";
import { hardhat } from "viem/chains";
import { announceWallet } from "./announceWallet.ts";

export interface InjectedWallet {
  readonly name: string;
  /** Every request of the page, in order. */
  readonly requests: readonly { method: string; answer: "given" | "refused" }[];
  /** The next request of one of these methods is refused as a person would (4001), once. */
  refuseNext(...methods: string[]): void;
  /** Forgets the nonce that `remembersNonce` lets it count on from. */
  clearActivity(): void;
  install(context: BrowserContext): Promise<void>;
}

interface Request {
  method: string;
  params?: unknown[];
}

type Answer =
  | { result: unknown; event?: [name: string, value: unknown] }
  | { error: { code: number; message: string } };

const userRejected = { code: 4001, message: "User rejected the request." };
const unsupported = { code: -32_601, message: "The method does not exist / is not available." };
const unknownChain = { code: 4902, message: "Unrecognized chain ID." };

export function createInjectedWallet(options: {
  account: LocalAccount;
  rpcUrl: string;
  name?: string;
  /** Counts its transactions itself, as some wallets do, and so does not notice when the chain begins anew. */
  remembersNonce?: boolean;
}): InjectedWallet {
  const { account, rpcUrl, name = "Local Wallet", remembersNonce = false } = options;
  const client = createWalletClient({ account, chain: hardhat, transport: http(rpcUrl), cacheTime: 0 }).extend(
    publicActions,
  );
  const requests: { method: string; answer: "given" | "refused" }[] = [];
  const refused = new Set<string>();
  let connected = false;
  let nextNonce: number | undefined;

  const permissions = () => [
    { parentCapability: "eth_accounts", caveats: [{ type: "restrictReturnedAccounts", value: [account.address] }] },
  ];

  const act = async ({ method, params = [] }: Request): Promise<Answer> => {
    switch (method) {
      case "eth_chainId":
        return { result: numberToHex(hardhat.id) };
      case "eth_accounts":
        return { result: connected ? [account.address] : [] };
      case "eth_requestAccounts":
        connected = true;
        return { result: [account.address] };
      case "wallet_requestPermissions":
        connected = true;
        return { result: permissions() };
      case "wallet_getPermissions":
        return { result: connected ? permissions() : [] };
      case "wallet_revokePermissions":
        connected = false;
        return { result: null };
      case "wallet_switchEthereumChain":
        return Number(recordOf(params[0]).chainId) === hardhat.id ? { result: null } : { error: unknownChain };
      case "personal_sign":
        return { result: await account.signMessage({ message: { raw: hexOf(params[0]) } }) };
      case "eth_signTypedData_v4":
        return { result: await account.signTypedData(typedDataOf(params[1])) };
      case "eth_sendTransaction": {
        const { to, data, value, gas } = recordOf(params[0]);
        const { address } = account;
        const nonce = nextNonce ?? (await client.getTransactionCount({ address, blockTag: "pending" }));
        const result = await client.sendTransaction({
          to: hexOf(to),
          nonce,
          ...(data === undefined ? {} : { data: hexOf(data) }),
          ...(value === undefined ? {} : { value: BigInt(String(value)) }),
          ...(gas === undefined ? {} : { gas: BigInt(String(gas)) }),
        });
        if (remembersNonce) nextNonce = nonce + 1;
        return { result };
      }
      default:
        if (method.startsWith("wallet_")) return { error: unsupported };
        return { result: await client.request({ method, params } as Parameters<typeof client.request>[0]) };
    }
  };

  const answer = async (request: Request): Promise<Answer> => {
    if (refused.delete(request.method)) {
      requests.push({ method: request.method, answer: "refused" });
      return { error: userRejected };
    }
    requests.push({ method: request.method, answer: "given" });
    try {
      return await act(request);
    } catch (error) {
      const refusal = error instanceof BaseError ? error.walk((inner) => inner instanceof RpcError) : null;
      if (refusal instanceof RpcError) return { error: { code: refusal.code, message: refusal.details } };
      return { error: { code: -32_603, message: error instanceof Error ? error.message : String(error) } };
    }
  };

  return {
    name,
    requests,
    refuseNext: (...methods) => methods.forEach((method) => refused.add(method)),
    clearActivity: () => void (nextNonce = undefined),
    async install(context) {
      await context.exposeFunction("ngpuWalletRequest", answer);
      await context.addInitScript(announceWallet, {
        name,
        rdns: "network.ngpu.local-wallet",
        uuid: "6f1c2c1e-5b1d-4c58-9a6e-3f4f0a6f7b01",
      });
    },
  };
}

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new TypeError("expected an object");
  return value as Record<string, unknown>;
}

function hexOf(value: unknown): Hex {
  if (!isHex(value)) throw new TypeError("expected hex");
  return value;
}

function typedDataOf(value: unknown): TypedDataDefinition {
  const definition = recordOf(JSON.parse(String(value)));
  const { EIP712Domain: _domain, ...types } = recordOf(definition.types);
  return { ...definition, types } as unknown as TypedDataDefinition;
}
