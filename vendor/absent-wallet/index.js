// Wallets are found in the browser by EIP-6963; the vendor SDKs that wagmi's connectors import lazily are
// not part of this build. Whatever reaches for one must fail loudly instead of half-working.
function absent() {
  throw new Error("This wallet SDK is not part of the NGPU dApp. Use a browser wallet (EIP-6963).");
}

export default { create: absent };
export const Porto = { create: absent };
export const RpcSchema = {};
export const z = {};
export class GeminiWalletProvider {
  constructor() {
    absent();
  }
}
